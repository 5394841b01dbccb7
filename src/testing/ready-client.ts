import type { ApiClient } from '../clients/api-client.ts'

/** Returns a client whose calls wait for another one, such as that of a server which is being opened. */
export const readyClient = (client: Promise<ApiClient>): ApiClient => ({
  get: async (...args) => (await client).get(...args),
  list: async (...args) => (await client).list(...args),
  watch: async (...args) => (await client).watch(...args),
  create: async (...args) => (await client).create(...args),
  update: async (...args) => (await client).update(...args),
  patch: async (...args) => (await client).patch(...args),
  apply: async (...args) => (await client).apply(...args),
  delete: async (...args) => (await client).delete(...args),
  post: async (...args) => (await client).post(...args),
  kindsOf: async (...args) => (await client).kindsOf(...args),
})

/**
 * Returns a client whose writes run one after the other: each waits until `settled` has resolved after the previous
 * one.
 */
export function writesInTurn(client: ApiClient, settled: () => Promise<void>): ApiClient {
  let last: Promise<unknown> = Promise.resolve()
  const inTurn = <T>(write: () => Promise<T>): Promise<T> => {
    const done = last.then(write)
    last = done.catch(() => {}).then(settled)
    return done
  }
  return {
    get: (...args) => client.get(...args),
    list: (...args) => client.list(...args),
    watch: (...args) => client.watch(...args),
    create: (...args) => inTurn(() => client.create(...args)),
    update: (...args) => inTurn(() => client.update(...args)),
    patch: (...args) => inTurn(() => client.patch(...args)),
    apply: (...args) => inTurn(() => client.apply(...args)),
    delete: (...args) => inTurn(() => client.delete(...args)),
    post: (...args) => inTurn(() => client.post(...args)),
    kindsOf: (...args) => client.kindsOf(...args),
  }
}
