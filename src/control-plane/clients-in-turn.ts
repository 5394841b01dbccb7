import type { ApiClient } from '../clients/api-client.ts'
import { delegatingClient } from '../clients/delegating-client.ts'
import { serialCalls } from '../lib/serial-calls.ts'

/**
 * Returns a function that wraps clients, so that the calls of all of them run one after the other, in order. Watches
 * are not serialized.
 */
export function clientsInTurn(): (client: ApiClient) => ApiClient {
  const inTurn = serialCalls()
  return client => {
    const serial = <T>(call: (client: ApiClient) => Promise<T>): Promise<T> => inTurn(() => call(client))
    return delegatingClient({ read: serial, write: serial, watch: call => call(client) })
  }
}
