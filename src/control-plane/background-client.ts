import type { ApiClient, ResourceKind } from '../clients/api-client.ts'
import { delegatingClient } from '../clients/delegating-client.ts'
import { backgroundTurn, nextTurn, turnIsSpent } from '../lib/turn.ts'

/**
 * Returns a client whose calls begin when requests of other clients do not need the turn. They begin in order. A
 * controller may make hundreds of calls at once, as for the pods of a large ReplicaSet. Calls for leases begin as
 * requests of other clients do: a node or a leader whose lease lapses counts as lost. API priority and fairness has
 * levels of their own for both.
 */
export function backgroundClient(client: ApiClient): ApiClient {
  const inBackground = <T>(call: (client: ApiClient) => Promise<T>, kind?: Pick<ResourceKind<never>, 'resource'>): Promise<T> => {
    const turn = kind?.resource === 'leases' ? foregroundTurn() : backgroundTurn()
    return turn === undefined ? call(client) : turn.then(() => call(client))
  }
  return delegatingClient({ read: inBackground, write: inBackground, watch: call => call(client) })
}

/** Undefined if the turn is not spent. */
const foregroundTurn = (): Promise<void> | undefined => (turnIsSpent() ? nextTurn() : undefined)
