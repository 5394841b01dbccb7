import { Agent, type IncomingMessage, request } from 'node:http'
import { setTimeout as sleep } from 'node:timers/promises'
import type { AnyObject } from './any-object.ts'

export interface SeenEvent {
  readonly type: string
  readonly name: string
  readonly resourceVersion: string
  readonly data: Record<string, string> | undefined
}

/** A client that watches, and goes on from the last resourceVersion that it was given whenever the stream ends. */
export interface ResumingWatch {
  readonly events: readonly SeenEvent[]
  /**
   * Ends that a client may not reckon with: a stream that breaks off inside an event, an ERROR event, a refusal that no
   * outage explains.
   */
  readonly faults: readonly string[]
  /** Streams that it has opened. */
  readonly streams: () => number
  /** Resolves when an event of the object has come. */
  until(name: string, milliseconds: number): Promise<void>
  stop(): void
}

/** `path`: of the collection. `from`: where the first stream begins. */
export function watchResuming(url: string, path: string, from: string): ResumingWatch {
  const agent = new Agent({ keepAlive: false })
  const events: SeenEvent[] = []
  const faults: string[] = []
  let last = from
  let streams = 0
  let stopped = false
  let current: IncomingMessage | undefined

  const take = (line: string): void => {
    const { type, object } = JSON.parse(line) as { type: string; object: AnyObject }
    if (type === 'ERROR') {
      // A store that is away ends a watch so; the client opens another.
      if (object.code !== 503 && object.code !== 504 && object.code !== 500) faults.push(line)
      return
    }
    const { name = '', resourceVersion = '' } = object.metadata
    if (type !== 'BOOKMARK') events.push({ type, name, resourceVersion, data: object.data })
    last = resourceVersion
  }
  const stream = (): Promise<void> =>
    new Promise(resolve => {
      const asked = request(
        `${url}${path}?watch=true&allowWatchBookmarks=true&resourceVersion=${last}`,
        { agent, headers: { 'user-agent': 'resilience/1' } },
        answer => {
          current = answer
          streams++
          let text = ''
          answer.setEncoding('utf8').on('data', (part: string) => {
            const lines = (text + part).split('\n')
            text = lines.pop() ?? ''
            if (answer.statusCode === 200) for (const line of lines) take(line)
            else text = part
          })
          answer
            .on('error', () => {})
            .on('close', () => {
              if (answer.statusCode !== 200 && answer.statusCode !== 503 && answer.statusCode !== 504)
                faults.push(`${answer.statusCode} ${text}`)
              else if (answer.complete && answer.statusCode === 200 && text !== '') faults.push(`ended inside an event: ${text}`)
              resolve()
            })
        },
      )
      asked.on('error', () => resolve()).end()
    })
  const run = async (): Promise<void> => {
    while (!stopped) {
      await stream()
      await sleep(30)
    }
  }
  void run()
  return {
    events,
    faults,
    streams: () => streams,
    async until(name, milliseconds) {
      for (const deadline = Date.now() + milliseconds; Date.now() < deadline; await sleep(20))
        if (events.some(event => event.name === name)) return
      throw new Error(`no event of ${name} has come; the last of ${events.length} is of ${last}; faults: ${faults.join('; ')}`)
    },
    stop() {
      stopped = true
      current?.destroy()
      agent.destroy()
    },
  }
}

/**
 * Returns the contradictions of the events: in their order, with acknowledged writes, and with the objects at the end.
 */
export function eventContradictions(
  events: readonly SeenEvent[],
  acknowledged: readonly {
    readonly name: string
    readonly type: string
    readonly resourceVersion: string
    readonly data: Record<string, string>
  }[],
  objects: readonly AnyObject[],
): string[] {
  const wrong: string[] = []
  const state = new Map<string, SeenEvent>()
  const byRevision = new Map<string, SeenEvent>()
  let last = 0
  for (const event of events) {
    if (Number(event.resourceVersion) <= last) wrong.push(`${event.type} ${event.name} at ${event.resourceVersion} comes after ${last}`)
    last = Number(event.resourceVersion)
    byRevision.set(event.resourceVersion, event)
    const had = state.has(event.name)
    if ((event.type === 'ADDED') === had)
      wrong.push(`${event.type} ${event.name} at ${event.resourceVersion}, which was ${had ? '' : 'not '}there`)
    if (event.type === 'DELETED') state.delete(event.name)
    else state.set(event.name, event)
  }
  for (const write of acknowledged) {
    const event = byRevision.get(write.resourceVersion)
    if (
      event?.name !== write.name ||
      event.type !== write.type ||
      JSON.stringify(sorted(event.data)) !== JSON.stringify(sorted(write.data))
    )
      wrong.push(`no event of ${write.type} ${write.name} at ${write.resourceVersion}`)
  }
  const told = new Set([...state.values()].map(({ name, resourceVersion }) => `${name} ${resourceVersion}`))
  const found = new Set(objects.map(({ metadata }) => `${metadata.name} ${metadata.resourceVersion}`))
  for (const one of found) if (!told.has(one)) wrong.push(`there, but not in the events: ${one}`)
  for (const one of told) if (!found.has(one)) wrong.push(`in the events, but not there: ${one}`)
  return wrong
}

const sorted = (data: Record<string, string> | undefined): [string, string][] =>
  Object.entries(data ?? {}).sort(([a], [b]) => (a < b ? -1 : 1))
