#!/usr/bin/env node
// The peer on the TypeScript SDK. `serve` and `call` are described in ../../README.md.
import { randomBytes } from 'node:crypto';
import { createServer } from 'node:http';
import { parseArgs } from 'node:util';

import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import { localhostHostValidation, localhostOriginValidation, toNodeHandler } from '@modelcontextprotocol/node';
import {
    acceptedContent, createMcpHandler, createRequestStateCodec, fromJsonSchema, inputRequired, inputResponse, McpServer
} from '@modelcontextprotocol/server';
import { serveStdio } from '@modelcontextprotocol/server/stdio';
import * as z from 'zod';

const REVISION = '2026-07-28';
const INFO = { name: 'typescript-peer', version: '0.0.0' };

// ---- serve ----

const form = (properties, required = Object.keys(properties)) => ({ type: 'object', properties, required });

const TARGET = form({ environment: { type: 'string', enum: ['staging', 'production'] }, confirm: { type: 'boolean' } });
const NAME = form({ name: { type: 'string' } });
const COUNT = form({ count: { type: 'integer' } });
const VALUE = form({ value: { type: 'string' } });
const OK = form({ ok: { type: 'boolean' } }, []);
const TITLED = [{ const: 'a', title: 'A' }, { const: 'b', title: 'B' }];
const SPELLINGS = form({
    text: { type: 'string', minLength: 1, maxLength: 10 },
    number: { type: 'number', minimum: 0, maximum: 1 },
    integer: { type: 'integer', minimum: 1, maximum: 5 },
    flag: { type: 'boolean', default: true },
    choice: { type: 'string', enum: ['a', 'b'] },
    titled: { type: 'string', oneOf: TITLED },
    legacy: { type: 'string', enum: ['a', 'b'], enumNames: ['A', 'B'] },
    choices: { type: 'array', items: { type: 'string', enum: ['a', 'b'] } },
    titled_choices: { type: 'array', items: { anyOf: TITLED } }
}, []);

const PAST = { accept: 'accepted', decline: 'declined', cancel: 'cancelled' };

const elicit = (message, requestedSchema) => inputRequired.elicit({ message, requestedSchema });
const text = value => ({ content: [{ type: 'text', text: value }] });
const sortedJson = object => JSON.stringify(object, Object.keys(object).sort());

/** The text of a sampling result, whose content is one block or a list of them. */
const sampledText = result => [result.content].flat().find(block => block.type === 'text')?.text ?? '';

/** Returns `declined` or `cancelled` if the user refused the question under `key`. */
function refused(ctx, key) {
    const view = inputResponse(ctx.mcpReq.inputResponses, key);
    return view.kind === 'elicit' && view.action !== 'accept' ? PAST[view.action] : undefined;
}

/** Returns the accepted content under `key`, if it is there and fits the form. */
const accepted = (ctx, key, schema) => acceptedContent(ctx.mcpReq.inputResponses, key, fromJsonSchema(schema));

function factory(ttlSeconds) {
    const codec = createRequestStateCodec({ key: randomBytes(32), ttlSeconds, bind: ctx => ctx.mcpReq.method });

    /** The state that was minted for `name` in the round before. Nothing on a first call. */
    const stateOf = (ctx, name) => {
        const state = ctx.mcpReq.requestState();
        return state?.name === name ? state : undefined;
    };
    const ask = async (ctx, inputRequests, state) =>
        inputRequired({ inputRequests, ...(state && { requestState: await codec.mint(state, ctx) }) });

    /** Asks for `name` with one form, then calls `done`, for the prompt and the resource. */
    const askWho = async (ctx, name, done) => {
        if (stateOf(ctx, name)) {
            const refusal = refused(ctx, 'who');
            if (refusal) return done(refusal);
            const content = accepted(ctx, 'who', NAME);
            if (content) return done(`${name}:${content.name}`);
        }
        return ask(ctx, { who: elicit('Who?', NAME) }, { name });
    };

    return () => {
        const server = new McpServer(INFO, { requestState: { verify: codec.verify } });
        const tool = (name, run, inputSchema = z.object({})) =>
            server.registerTool(name, { description: name, inputSchema }, (_args, ctx) => run(ctx));

        tool('plain', () => text('plain'));

        tool('form', ctx => {
            if (stateOf(ctx, 'form')) {
                const refusal = refused(ctx, 'target');
                if (refusal) return text(refusal);
                const target = accepted(ctx, 'target', TARGET);
                if (target) return text(`accepted:${target.environment}:${target.confirm}`);
            }
            return ask(ctx, { target: elicit('Where to?', TARGET) }, { name: 'form' });
        }, z.object({ note: z.string().optional() }));

        tool('spellings', ctx => {
            const refusal = refused(ctx, 'all');
            if (refusal) return text(refusal);
            const content = accepted(ctx, 'all', SPELLINGS);
            return content ? text(`spellings:${sortedJson(content)}`) : ask(ctx, { all: elicit('All of them', SPELLINGS) });
        });

        tool('url', ctx => {
            const view = inputResponse(ctx.mcpReq.inputResponses, 'pay');
            if (view.kind === 'elicit') return text(view.action === 'accept' ? 'consented' : PAST[view.action]);
            return ask(ctx, { pay: inputRequired.elicitUrl({ message: 'Pay here', url: 'https://example.org/pay' }) });
        });

        const sampling = (name, more) => tool(name, ctx => {
            const view = inputResponse(ctx.mcpReq.inputResponses, 'model');
            if (view.kind === 'sampling') return text(`sampled:${sampledText(view.result)}`);
            const messages = [{ role: 'user', content: { type: 'text', text: 'hello' } }];
            return ask(ctx, { model: inputRequired.createMessage({ messages, maxTokens: 10, ...more }) });
        });
        sampling('sampling', {});
        sampling('sampling_tools', { tools: [{ name: 't', inputSchema: { type: 'object' } }] });
        sampling('sampling_context', { includeContext: 'thisServer' });

        tool('roots', ctx => {
            const view = inputResponse(ctx.mcpReq.inputResponses, 'roots');
            return view.kind === 'roots' ? text(`roots:${view.roots.length}`) : ask(ctx, { roots: inputRequired.listRoots() });
        });

        tool('several', ctx => {
            if (stateOf(ctx, 'several')) {
                const refusal = refused(ctx, 'a') ?? refused(ctx, 'b');
                if (refusal) return text(refusal);
                const [a, b] = ['a', 'b'].map(key => accepted(ctx, key, VALUE));
                if (a && b) return text(`several:${a.value}:${b.value}`);
            }
            return ask(ctx, { b: elicit('Value of b', VALUE), a: elicit('Value of a', VALUE) }, { name: 'several' });
        });

        tool('two_rounds', ctx => {
            const state = stateOf(ctx, 'two_rounds');
            const refusal = state && refused(ctx, state.round === 1 ? 'first' : 'second');
            if (refusal) return text(refusal);
            const first = state?.round === 1 ? accepted(ctx, 'first', NAME)?.name : state?.first;
            if (first === undefined) return ask(ctx, { first: elicit('What name?', NAME) }, { name: 'two_rounds', round: 1 });
            const second = state.round === 2 ? accepted(ctx, 'second', COUNT) : undefined;
            if (second) return text(`two:${first}:${second.count}`);
            return ask(ctx, { second: elicit('How many?', COUNT) }, { name: 'two_rounds', round: 2, first });
        });

        tool('state_only', ctx =>
            stateOf(ctx, 'state_only') ? text('waited') : ask(ctx, undefined, { name: 'state_only' }));

        tool('forever', ctx => ask(ctx, { again: elicit('Again?', OK) }, { name: 'forever' }));

        server.registerPrompt('ask', { description: 'ask' }, ctx =>
            askWho(ctx, 'prompt', value => ({ messages: [{ role: 'user', content: { type: 'text', text: value } }] })));

        server.registerResource('ask', 'ask://resource', { mimeType: 'text/plain' }, (uri, ctx) =>
            askWho(ctx, 'resource', value => ({ contents: [{ uri: uri.href, mimeType: 'text/plain', text: value }] })));

        return server;
    };
}

function serve(args) {
    const { values } = parseArgs({
        args,
        options: {
            port: { type: 'string' },
            stdio: { type: 'boolean' },
            sse: { type: 'boolean' },
            ttl: { type: 'string' },
            rounds: { type: 'string' }
        }
    });
    process.on('SIGTERM', () => process.exit(0));
    const onerror = error => console.error(error.message);
    const build = factory(values.ttl === undefined ? undefined : Number(values.ttl));
    if (values.stdio) {
        serveStdio(build, { legacy: 'reject', onerror });
        return;
    }
    if (values.port === undefined) throw new Error('serve needs --port N or --stdio');
    const handle = toNodeHandler(
        createMcpHandler(build, { legacy: 'reject', responseMode: values.sse ? 'sse' : 'auto', onerror })
    );
    const validHost = localhostHostValidation();
    const validOrigin = localhostOriginValidation();
    const http = createServer((req, res) => {
        if (!validHost(req, res) || !validOrigin(req, res)) return;
        if (new URL(req.url, 'http://localhost').pathname === '/mcp') void handle(req, res);
        else res.writeHead(404).end();
    });
    http.listen(Number(values.port), '127.0.0.1', () =>
        console.log(`listening http://127.0.0.1:${http.address().port}/mcp`));
}

// ---- call ----

function capabilities(claims) {
    const has = claim => claims.includes(claim);
    const group = (...names) => Object.fromEntries(names.filter(([claim]) => has(claim)).map(([, name]) => [name, {}]));
    return {
        ...((has('form') || has('url')) && { elicitation: group(['form', 'form'], ['url', 'url']) }),
        ...(claims.some(claim => claim.startsWith('sampling')) && {
            sampling: group(['sampling.tools', 'tools'], ['sampling.context', 'context'])
        }),
        ...(has('roots') && { roots: {} })
    };
}

async function outcome(values, transport) {
    const claims = values.claims === 'none' ? [] : values.claims.split(',');
    const answers = JSON.parse(values.answers);
    const claimed = capabilities(claims);
    const client = new Client(INFO, {
        capabilities: claimed,
        versionNegotiation: { mode: 'auto' },
        ...(values.rounds !== undefined && { inputRequired: { maxRounds: Number(values.rounds) } })
    });
    if (claimed.elicitation) {
        // The id of an embedded request is its key in `inputRequests`.
        client.setRequestHandler('elicitation/create', async (_request, ctx) =>
            answers[ctx.mcpReq.id] ?? answers['*'] ?? { action: 'cancel' });
    }
    if (claimed.sampling) {
        client.setRequestHandler('sampling/createMessage', async () =>
            ({ role: 'assistant', model: 'test', content: { type: 'text', text: 'sampled text' } }));
    }
    if (claimed.roots) {
        client.setRequestHandler('roots/list', async () => ({ roots: [{ uri: 'file:///tmp' }] }));
    }

    try {
        const timeout = Number(values['timeout-ms']);
        await client.connect(transport(), { timeout });
        const version = client.getNegotiatedProtocolVersion();
        // `auto` falls back to the older handshake in silence; that would test nothing here.
        if (version !== REVISION) throw new Error(`negotiated ${version}, not ${REVISION}`);

        const args = JSON.parse(values.arguments);
        switch (values.method) {
            case 'tools/call': {
                const { content } = await client.callTool({ name: values.name, arguments: args }, { timeout });
                return { outcome: 'complete', text: content.find(block => block.type === 'text')?.text ?? '' };
            }
            case 'prompts/get': {
                const { messages } = await client.getPrompt({ name: values.name, arguments: args }, { timeout });
                return { outcome: 'complete', text: messages[0]?.content.text ?? '' };
            }
            case 'resources/read': {
                const { contents } = await client.readResource({ uri: values.name }, { timeout });
                return { outcome: 'complete', text: contents[0]?.text ?? '' };
            }
            default:
                throw new Error(`unknown method ${values.method}`);
        }
    } catch (error) {
        return {
            outcome: 'error',
            // The SDK's own errors carry a name in `code`; only numbers come from the wire.
            code: typeof error.code === 'number' ? error.code : null,
            message: error.message
        };
    } finally {
        await client.close().catch(() => {});
    }
}

async function call(args) {
    const split = args.indexOf('--');
    const command = split === -1 ? [] : args.slice(split + 1);
    const { values, positionals } = parseArgs({
        args: split === -1 ? args : args.slice(0, split),
        allowPositionals: true,
        options: {
            stdio: { type: 'boolean' },
            method: { type: 'string', default: 'tools/call' },
            name: { type: 'string' },
            arguments: { type: 'string', default: '{}' },
            claims: { type: 'string', default: 'form,url' },
            answers: { type: 'string', default: '{"*":{"action":"cancel"}}' },
            'timeout-ms': { type: 'string', default: '10000' },
            rounds: { type: 'string' }
        }
    });
    if (values.name === undefined) throw new Error('call needs --name');
    if (values.stdio ? command.length === 0 : positionals.length !== 1) throw new Error('call needs URL, or --stdio -- COMMAND');
    const transport = values.stdio
        ? () => new StdioClientTransport({ command: command[0], args: command.slice(1), env: process.env })
        : () => new StreamableHTTPClientTransport(new URL(positionals[0]));
    // No exit here: the SDK may still be ending the child process.
    console.log(JSON.stringify(await outcome(values, transport)));
}

const [command, ...rest] = process.argv.slice(2);
try {
    if (command === 'serve') serve(rest);
    else if (command === 'call') await call(rest);
    else throw new Error('usage: peer.mjs serve|call ...');
} catch (error) {
    console.error(error.message);
    process.exit(2);
}
