import type { ApiClient } from '../clients/api-client.ts'

/**
 * Returns a function that wraps clients, so that the calls of all of them run one after the other, in order. Watches
 * are not serialized.
 */
export function clientsInTurn(): (client: ApiClient) => ApiClient {
  let last: Promise<unknown> = Promise.resolve()
  const inTurn = <T>(call: () => Promise<T>): Promise<T> => {
    const done = last.then(call)
    last = done.catch(() => {})
    return done
  }
  return client => ({
    get: (...args) => inTurn(() => client.get(...args)),
    list: (...args) => inTurn(() => client.list(...args)),
    watch: (...args) => client.watch(...args),
    create: (...args) => inTurn(() => client.create(...args)),
    update: (...args) => inTurn(() => client.update(...args)),
    patch: (...args) => inTurn(() => client.patch(...args)),
    apply: (...args) => inTurn(() => client.apply(...args)),
    delete: (...args) => inTurn(() => client.delete(...args)),
    post: (...args) => inTurn(() => client.post(...args)),
    kindsOf: (...args) => inTurn(() => client.kindsOf(...args)),
  })
}
