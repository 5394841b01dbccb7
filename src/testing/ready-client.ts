import type { ApiClient } from '../clients/api-client.ts'
import { delegatingClient } from '../clients/delegating-client.ts'
import { serialCalls } from '../lib/serial-calls.ts'

/** Returns a client whose calls wait for another one, such as that of a server which is being opened. */
export function readyClient(client: Promise<ApiClient>): ApiClient {
  const later = async <T>(call: (client: ApiClient) => Promise<T>): Promise<T> => call(await client)
  return delegatingClient({ read: later, write: later, watch: later })
}

/**
 * Returns a client whose writes run one after the other: each waits until `settled` has resolved after the previous
 * one.
 */
export function writesInTurn(client: ApiClient, settled: () => Promise<void>): ApiClient {
  const inTurn = serialCalls(settled)
  const directly = <T>(call: (client: ApiClient) => Promise<T>): Promise<T> => call(client)
  return delegatingClient({ read: directly, watch: directly, write: call => inTurn(() => call(client)) })
}
