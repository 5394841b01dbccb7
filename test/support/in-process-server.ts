import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { Agent, request } from 'node:https'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { readCommandLine } from '../../src/config/command-line.ts'
import { Runtime } from '../../src/control-plane/runtime.ts'
import { silentLogger } from '../../src/lib/log.ts'
import { openServer } from '../../src/process/open-server.ts'

export interface Reply {
  readonly status: number
  readonly contentType: string
  readonly text: string
}

export interface SentRequest {
  readonly method?: string
  readonly body?: unknown
  /** A body as it stands, instead. */
  readonly text?: string
  readonly headers?: Readonly<Record<string, string>>
  readonly accept?: string
  /** Token of a user other than the server's administrator. */
  readonly token?: string
}

/** A whole server in this process, with all that its flags ask for. */
export interface InProcessServer {
  readonly directory: string
  /** Port of HTTPS. */
  readonly port: number
  /** PEM of the authority of its certificate. */
  readonly authority: Buffer
  readonly runtime: Runtime
  send(path: string, request?: SentRequest): Promise<Reply>
  /** Watches: what has come so far. It ends with the server. */
  watch(path: string): { text(): string; readonly ended: Promise<void> }
  /** Once, however often it is called. */
  stop(): Promise<void>
  /** Removes its files. */
  remove(): void
}

/** The user of requests whose token is not given: of the group system:masters. */
const ADMIN = 'administrator'

/** `files`: written into its directory, in which `flags` may name them after `DIR/`. */
export async function openInProcess(flags: readonly string[], files: Readonly<Record<string, string>> = {}): Promise<InProcessServer> {
  const directory = mkdtempSync(join(tmpdir(), 'binnacle-'))
  const tokens = `${ADMIN},admin,1,system:masters\n${files.tokens ?? ''}`
  for (const [name, text] of Object.entries({ ...files, tokens })) writeFileSync(join(directory, name), text)
  const command = readCommandLine([
    `--data-dir=${join(directory, 'data')}`,
    '--secure-port=0',
    `--kubeconfig-out=${join(directory, 'kubeconfig')}`,
    `--token-auth-file=${join(directory, 'tokens')}`,
    ...flags.map(flag => flag.replace('DIR/', `${directory}/`)),
  ])
  if (command.action !== 'serve') throw new Error('not a command line that serves')
  const runtime = new Runtime()
  const server = await openServer({ config: command.config, log: silentLogger, link: undefined, runtime }, new AbortController().signal)
  if (server === undefined) throw new Error('the server has not begun')
  const authority = readFileSync(join(command.config.files.certDir ?? '', 'ca.crt'))
  const agent = new Agent({ keepAlive: true, ca: authority })
  const open = (path: string, { method = 'GET', body, text, headers: more, accept = 'application/json', token = ADMIN }: SentRequest) => {
    const headers = { accept, authorization: `Bearer ${token}`, ...(body !== undefined && { 'content-type': 'application/json' }), ...more }
    const sentText = text ?? (body === undefined ? undefined : JSON.stringify(body))
    const sent = request({ host: '127.0.0.1', port: server.securePort, path, method, agent, headers })
    // Node gives the body of a DELETE no length by itself.
    if (sentText !== undefined) sent.setHeader('content-length', Buffer.byteLength(sentText))
    sent.end(sentText)
    return sent
  }
  let stopped: Promise<void> | undefined
  return {
    directory,
    port: server.securePort,
    authority,
    runtime,
    send: (path, sent = {}) =>
      new Promise((resolve, reject) => {
        open(path, sent)
          .on('error', reject)
          .on('response', response => {
            const chunks: Buffer[] = []
            response.on('data', (chunk: Buffer) => chunks.push(chunk)).on('error', reject)
            response.on('end', () =>
              resolve({
                status: response.statusCode ?? 0,
                contentType: response.headers['content-type'] ?? '',
                text: Buffer.concat(chunks).toString(),
              }),
            )
          })
      }),
    watch(path) {
      let text = ''
      const ended = new Promise<void>((resolve, reject) => {
        open(path, {})
          .on('error', reject)
          .on('response', response => {
            response.on('data', (chunk: Buffer) => {
              text += chunk.toString()
            })
            response.on('end', resolve).on('error', reject)
          })
      })
      return { text: () => text, ended }
    },
    stop() {
      stopped ??= server.stop().finally(() => agent.destroy())
      return stopped
    },
    remove: () => rmSync(directory, { recursive: true, force: true }),
  }
}
