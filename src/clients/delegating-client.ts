import type { ApiClient } from './api-client.ts'

/** Makes a call of a client, now or later. */
type Pass = <T>(call: (client: ApiClient) => Promise<T>) => Promise<T>

/** Returns a client whose reads, writes and watches are passed to another one. */
export const delegatingClient = ({ read, write, watch }: Readonly<Record<'read' | 'write' | 'watch', Pass>>): ApiClient => ({
  get: (...args) => read(client => client.get(...args)),
  list: (...args) => read(client => client.list(...args)),
  kindsOf: (...args) => read(client => client.kindsOf(...args)),
  watch: (...args) => watch(client => client.watch(...args)),
  create: (...args) => write(client => client.create(...args)),
  update: (...args) => write(client => client.update(...args)),
  patch: (...args) => write(client => client.patch(...args)),
  apply: (...args) => write(client => client.apply(...args)),
  delete: (...args) => write(client => client.delete(...args)),
  post: (...args) => write(client => client.post(...args)),
})
