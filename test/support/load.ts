import { setTimeout as sleep } from 'node:timers/promises'
import { seededRandom } from '../../src/lib/seeded-random.ts'
import type { AnyObject } from './any-object.ts'
import type { JsonAnswer, JsonClient } from './json-client.ts'
import { Ledger, type ObjectState } from './ledger.ts'

export interface LoadOptions {
  readonly clients: number
  readonly namespace: string
  readonly seed: number
  /** Appended to every request, for example `timeout=2s`. */
  readonly query?: string
  /**
   * Pause of each client after a response, in milliseconds, or a function that returns it each time. Default: none, so
   * that the machine is busy.
   */
  readonly pauseMs?: number | (() => number)
}

export interface Failure {
  readonly status: number
  readonly reason: string | undefined
  readonly milliseconds: number
}

/**
 * Writers that create, update, patch and delete ConfigMaps, each its own and all of them a shared one, and record the
 * responses.
 */
export interface Load {
  readonly ledger: Ledger
  /** Responses that a client does not expect: neither a success nor an effect of an outage. */
  readonly unexpected: readonly string[]
  /** Responses that an outage explains. */
  readonly failures: readonly Failure[]
  acknowledged(): number
  /** Ends the writers, each after its request in flight. */
  stop(): Promise<void>
}

export const SHARED = 'shared'
const LIVE_PER_CLIENT = 6
/** Status codes of an outage: no response, and the Statuses of an unavailable store. */
const OUTAGE = new Set([0, 503, 504])
const FILLER = 'x'.repeat(300)

export async function startLoad(client: JsonClient, { clients, namespace, seed, query, pauseMs = 0 }: LoadOptions): Promise<Load> {
  const collection = `/api/v1/namespaces/${namespace}/configmaps`
  const path = (name?: string): string => `${collection}${name === undefined ? '' : `/${name}`}${query === undefined ? '' : `?${query}`}`
  await client.must('POST', collection, configMap(SHARED, { created: 'yes' }))
  const ledger = new Ledger()
  const unexpected: string[] = []
  const failures: Failure[] = []
  let acknowledged = 0
  let stopping = false

  /** Whether the write is acknowledged. Other responses are recorded as failures of an outage or as unexpected. */
  const judge = (what: string, answer: JsonAnswer): boolean => {
    const { status, body, milliseconds } = answer
    if (status === 200 || status === 201) {
      acknowledged++
      return true
    }
    if (OUTAGE.has(status) && (status === 0 || body.kind === 'Status')) failures.push({ status, reason: body.reason, milliseconds })
    else unexpected.push(`${what}: ${status} ${JSON.stringify(body)}`)
    return false
  }

  const writer = async (id: number): Promise<void> => {
    const random = seededRandom(seed * 1000 + id)
    const pick = <T>(items: readonly T[]): T => items[Math.floor(random() * items.length)] as T
    const live: string[] = []
    let made = 0
    let step = 0
    const failed = async (name: string, wanted: ObjectState): Promise<void> => {
      ledger.doubt(name, wanted)
      // The outcome is unknown, so the object is not used again.
      if (live.includes(name)) live.splice(live.indexOf(name), 1)
      await sleep(100)
    }
    const create = async (): Promise<void> => {
      const name = `c${id}-${made++}`
      const data = { step: `${step}`, filler: FILLER }
      const answer = await client.ask('POST', path(), { body: configMap(name, data) })
      if (!judge(`create ${name}`, answer)) return failed(name, { data })
      ledger.acknowledge(name, 'ADDED', data, answer.body)
      live.push(name)
    }
    const change = async (name: string): Promise<void> => {
      const known = ledger.get(name)
      if (known === undefined || known === 'absent') return
      const { method, contentType, body, data } = pick(CHANGES)(name, known, `${step}`)
      const answer = await client.ask(method, path(name), { body, contentType })
      if (!judge(`${method} ${contentType} ${name}`, answer)) return failed(name, { data })
      ledger.acknowledge(name, 'MODIFIED', data, answer.body)
    }
    const remove = async (name: string): Promise<void> => {
      const answer = await client.ask('DELETE', path(name))
      if (!judge(`delete ${name}`, answer)) return failed(name, 'absent')
      ledger.acknowledgeDelete(name)
      live.splice(live.indexOf(name), 1)
    }
    const share = async (): Promise<void> => {
      const answer = await client.ask('PATCH', path(SHARED), {
        body: { data: { [`c${id}`]: `${step}` } },
        contentType: 'application/merge-patch+json',
      })
      if (judge('patch shared', answer)) ledger.shared.acknowledge(`c${id}`, step)
      else {
        ledger.shared.doubt(`c${id}`, step)
        await sleep(100)
      }
    }
    while (!stopping) {
      step++
      const dice = random()
      if (live.length === 0 || (dice < 0.35 && live.length < LIVE_PER_CLIENT)) await create()
      else if (dice < 0.8) await change(pick(live))
      else if (dice < 0.9) await remove(pick(live))
      else await share()
      const pause = typeof pauseMs === 'number' ? pauseMs : pauseMs()
      if (pause > 0) await sleep(pause)
    }
  }
  const writers = Array.from({ length: clients }, (_, id) => writer(id))
  return {
    ledger,
    unexpected,
    failures,
    acknowledged: () => acknowledged,
    async stop() {
      stopping = true
      await Promise.all(writers)
    },
  }
}

export const configMap = (name: string, data: Record<string, string>): AnyObject => ({
  kind: 'ConfigMap',
  apiVersion: 'v1',
  metadata: { name },
  data,
})

type Known = Exclude<ObjectState, 'absent'>
interface Write {
  readonly method: 'PUT' | 'PATCH'
  readonly contentType: string
  readonly body: unknown
  /** Data of the object after the write. */
  readonly data: Record<string, string>
}

const CHANGES: readonly ((name: string, known: Known, step: string) => Write)[] = [
  (name, { resourceVersion }, step) => {
    const data = { step, filler: FILLER }
    const body = { ...configMap(name, data), metadata: { name, ...(resourceVersion !== undefined && { resourceVersion }) } }
    return { method: 'PUT', contentType: 'application/json', body, data }
  },
  (_, { data }, step) => ({
    method: 'PATCH',
    contentType: 'application/merge-patch+json',
    body: { data: { step, merged: step } },
    data: { ...data, step, merged: step },
  }),
  (_, { data }, step) => ({
    method: 'PATCH',
    contentType: 'application/strategic-merge-patch+json',
    body: { data: { step, strategic: step } },
    data: { ...data, step, strategic: step },
  }),
  (_, { data }, step) => ({
    method: 'PATCH',
    contentType: 'application/json-patch+json',
    body: [
      { op: 'test', path: '/data/step', value: data.step },
      { op: 'replace', path: '/data/step', value: step },
    ],
    data: { ...data, step },
  }),
]
