import { setTimeout as sleep } from 'node:timers/promises'
import { storedObject } from './journal.ts'
import type { StoreHistory } from './store-history.ts'

/** An etcd as its JSON gateway shows it: beside the servers, and by none of their code. */
export interface EtcdJournal {
  /** The newest revision; Infinity while it does not answer. */
  revision(): Promise<number>
  compact(revision: number): Promise<void>
  close(): void
}

interface WatchLine {
  readonly result?: {
    readonly header?: { readonly revision?: string }
    readonly compact_revision?: string
    readonly events?: readonly { readonly type?: string; readonly kv: { readonly key: string; readonly mod_revision: string; readonly value?: string } }[]
  }
}

const NUL = Buffer.from('\0').toString('base64')
const ASK_MS = 2000

/** Writes down all changes from revision 1 on, through restarts, in a history of what is below the prefix. */
export function keepEtcdJournal(url: string, prefix: string, history: StoreHistory): EtcdJournal {
  const stop = new AbortController()
  const post = (path: string, body: object, signal: AbortSignal): Promise<Response> =>
    fetch(`${url}/v3/${path}`, { method: 'POST', body: JSON.stringify(body), signal })
  let next = 1
  const take = (line: string): void => {
    const { events = [], compact_revision: compacted } = (JSON.parse(line) as WatchLine).result ?? {}
    if (Number(compacted ?? 0) > 0) throw new Error(`the journal came too late: ${compacted} is compacted`)
    for (const { type, kv } of events) {
      const revision = Number(kv.mod_revision)
      const key = Buffer.from(kv.key, 'base64').toString()
      if (key.startsWith(prefix))
        history.add(key.slice(prefix.length), revision, type === 'DELETE' ? undefined : storedObject(Buffer.from(kv.value ?? '', 'base64')))
      history.revision = Math.max(history.revision, revision)
      next = Math.max(next, revision + 1)
    }
  }
  const follow = async (): Promise<void> => {
    const answer = await post('watch', { create_request: { key: NUL, range_end: NUL, start_revision: next } }, stop.signal)
    let rest = ''
    const text = new TextDecoder()
    for await (const part of answer.body as unknown as AsyncIterable<Uint8Array>) {
      const lines = (rest + text.decode(part, { stream: true })).split('\n')
      rest = lines.pop() ?? ''
      // A message whose events are of one revision comes in one line.
      for (const line of lines) if (line !== '') take(line)
    }
  }
  const run = async (): Promise<void> => {
    while (!stop.signal.aborted) {
      await follow().catch(error => {
        if (error instanceof Error && error.message.startsWith('the journal')) history.fault = error.message
      })
      await sleep(20)
    }
  }
  void run()
  return {
    async revision() {
      try {
        const answer = await post('kv/range', { key: NUL, count_only: true }, AbortSignal.timeout(ASK_MS))
        const { header } = (await answer.json()) as { header?: { revision?: string } }
        return Number(header?.revision ?? Number.POSITIVE_INFINITY)
      } catch {
        return Number.POSITIVE_INFINITY
      }
    },
    async compact(revision) {
      await post('kv/compaction', { revision: String(revision) }, AbortSignal.timeout(ASK_MS)).then(
        answer => answer.arrayBuffer(),
        () => {},
      )
    },
    close: () => stop.abort(),
  }
}
