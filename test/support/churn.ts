import { setTimeout as sleep } from 'node:timers/promises'
import { seededRandom } from '../../src/lib/seeded-random.ts'
import type { AnyObject } from './any-object.ts'
import type { JsonClient } from './json-client.ts'

/**
 * Writers of ConfigMaps in one namespace: few names, so that each is made, changed and deleted again and again, and
 * goes in and out of `CHURN_SELECTOR`.
 */
export interface Churn {
  /** Responses that a client does not expect. */
  readonly unexpected: readonly string[]
  acknowledged(): number
  /** Ends the writers, each after its request in flight. */
  stop(): Promise<void>
}

export const CHURN_SELECTOR = 'side=left'
const WRITERS = 4
const NAMES = 10
const PAUSE_MS = 15
/** No response, outcomes of a write after an unknown one, and the Statuses of an outage. */
const EXPECTED = new Set([0, 200, 201, 404, 409, 429, 503, 504])

/** `clients`: of the servers, which the writers take in turn. */
export function startChurn(clients: readonly JsonClient[], namespace: string, seed: number): Churn {
  const collection = `/api/v1/namespaces/${namespace}/configmaps`
  const unexpected: string[] = []
  let acknowledged = 0
  let stopping = false
  const writer = async (id: number): Promise<void> => {
    const random = seededRandom(seed * 100 + id)
    for (let step = 0; !stopping; step++) {
      const client = clients[step % clients.length] as JsonClient
      const name = `c${id}-${Math.floor(random() * NAMES)}`
      const labels = { side: random() < 0.5 ? 'left' : 'right' }
      const body = { kind: 'ConfigMap', apiVersion: 'v1', metadata: { name, labels }, data: { step: `${step}` } } as unknown as AnyObject
      const dice = random()
      const { status, body: answer } =
        dice < 0.4
          ? await client.ask('POST', collection, { body })
          : dice < 0.8
            ? await client.ask('PUT', `${collection}/${name}`, { body })
            : await client.ask('DELETE', `${collection}/${name}`)
      if (status === 200 || status === 201) acknowledged++
      else if (!EXPECTED.has(status)) unexpected.push(`${status} ${JSON.stringify(answer)}`)
      await sleep(PAUSE_MS)
    }
  }
  const writers = Array.from({ length: WRITERS }, (_, id) => writer(id))
  return {
    unexpected,
    acknowledged: () => acknowledged,
    async stop() {
      stopping = true
      await Promise.all(writers)
    },
  }
}
