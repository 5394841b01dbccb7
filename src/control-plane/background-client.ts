import type { ApiClient } from '../clients/api-client.ts'
import { delegatingClient } from '../clients/delegating-client.ts'
import { backgroundTurn } from '../lib/turn.ts'

/**
 * Returns a client whose calls begin when requests of other clients do not need the turn. They begin in order. A
 * controller may make hundreds of calls at once, as for the pods of a large ReplicaSet.
 */
export function backgroundClient(client: ApiClient): ApiClient {
  const inBackground = <T>(call: (client: ApiClient) => Promise<T>): Promise<T> => {
    const turn = backgroundTurn()
    return turn === undefined ? call(client) : turn.then(() => call(client))
  }
  return delegatingClient({ read: inBackground, write: inBackground, watch: call => call(client) })
}
