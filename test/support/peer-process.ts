import { type ChildProcess, fork } from 'node:child_process'
import { once } from 'node:events'
import type { KeyPair } from '../../src/server/tls/issue.ts'
import { answering, type Behaviour, HOSTILE_JSON, HOSTILE_PAGES, HOSTILE_PROTOCOL, HostilePeer } from './hostile-peer.ts'
import { eventually } from './waiting.ts'

/** Behaviour of a peer in another process: an entry of a table, or a response with a JSON body. */
export type Act = { readonly table: 'protocol' | 'pages'; readonly name: string } | { readonly json: string; readonly isFailure?: boolean }

type Question =
  | { readonly start: { readonly tls?: KeyPair | undefined; readonly host: string } }
  | { readonly act: Act }
  | { readonly count: true }

/** A hostile peer in a process of its own: what it costs does not count as cost of this one. */
export class PeerProcess {
  readonly port: number
  readonly #child: ChildProcess

  private constructor(child: ChildProcess, port: number) {
    this.#child = child
    this.port = port
  }

  static async start(host: string, tls?: KeyPair): Promise<PeerProcess> {
    const child = fork(import.meta.filename, { stdio: ['ignore', 'ignore', 'inherit', 'ipc'] })
    return new PeerProcess(child, await asked(child, { start: { tls, host } }))
  }

  async act(act: Act): Promise<void> {
    await asked(this.#child, { act })
  }

  /** Resolves once no connection is open. */
  async isLeft(): Promise<void> {
    await eventually('the connections are closed', async () => (await asked(this.#child, { count: true })) === 0)
  }

  close(): void {
    this.#child.kill()
  }
}

async function asked(child: ChildProcess, question: Question): Promise<number> {
  child.send(question)
  const [answer] = await once(child, 'message')
  return answer as number
}

function behaviourOf(act: Act): Behaviour {
  if ('table' in act) return (act.table === 'pages' ? HOSTILE_PAGES : HOSTILE_PROTOCOL)[act.name] as Behaviour
  return answering(Buffer.from(HOSTILE_JSON[act.json] ?? '', 'latin1'), ...(act.isFailure ? ['HTTP/1.1 500 No\r\n'] : []))
}

/** The other process. */
async function serve(): Promise<void> {
  let peer: HostilePeer | undefined
  process.on('message', async (question: Question) => {
    if ('start' in question) peer = await HostilePeer.start(question.start.tls, question.start.host)
    else if ('act' in question && peer) peer.act = behaviourOf(question.act)
    process.send?.('count' in question ? (peer?.sockets.size ?? 0) : (peer?.port ?? 0))
  })
  process.on('disconnect', () => process.exit())
}

if (process.send !== undefined && process.argv[1] === import.meta.filename) await serve()
