//! Where each invariant is checked, beside the exploration.

use mrtr_proptests::invariants::Invariant;

/// Returns the other tests that check an invariant.
pub(crate) const fn others(invariant: Invariant) -> &'static [&'static str] {
    match invariant {
        Invariant::OneOutcome => &[
            "nothing_leaves_settled",
            "the_invariants_hold_whatever_happens",
            "the_rules_hold_whatever_happens",
        ],
        Invariant::OneThingAtATime | Invariant::LegsAreBounded => {
            &["the_invariants_hold_whatever_happens"]
        }
        Invariant::ClocksRunWhereTheyBelong | Invariant::EveryAskHasAnEnd => {
            &["the_invariants_hold_whatever_happens", "the_rules_hold_whatever_happens"]
        }
        Invariant::ARetryIsOfItsRound => {
            &["nothing_of_a_round_reaches_a_later_one", "the_invariants_hold_whatever_happens"]
        }
        Invariant::AnswersReachWhoAsked => &[
            "two_calls_with_the_same_key_get_each_its_own_answer_and_state",
            "the_rules_hold_whatever_happens",
        ],
        Invariant::NothingIsSentAfterStop => &[
            "the_invariants_hold_whatever_happens",
            "criterion_7_a_global_stop_sends_no_retry_and_leaves_nothing_pending",
        ],
        Invariant::NoQuestionWithoutInvocation => &["the_rules_hold_whatever_happens"],
        Invariant::StoredThenDelivered => &[
            "a_question_is_held_before_it_is_shown_and_an_answer_before_it_is_delivered",
            "the_rules_hold_whatever_happens",
        ],
        Invariant::NothingSecretIsShown => &[
            "no_debug_and_no_error_shows_a_state_an_answer_or_an_argument",
            "no_debug_and_no_error_shows_what_is_asked_answered_or_executed",
            "criterion_12_the_state_of_a_server_is_nowhere_but_between_it_and_its_client",
        ],
        Invariant::HandlersRunOnSoundStates => &[
            "every_bit_of_a_token_counts_and_no_byte_is_lost_added_or_swapped",
            "the_store_is_asked_before_the_handler_runs_and_nothing_counts_before_it_spoke",
        ],
        Invariant::EverythingEnds => &["the_invariants_hold_whatever_happens"],
        Invariant::AsRequired | Invariant::Contract => {
            &["the_invariants_hold_whatever_happens", "the_rules_hold_whatever_happens"]
        }
    }
}

/// Returns the names of all tests that the page refers to.
pub(crate) fn tests() -> impl Iterator<Item = &'static str> {
    Invariant::ALL.into_iter().flat_map(|invariant| others(invariant).iter().copied())
}
