import type { TypedObject } from '../api/meta/object.ts'
import type { ApiClient, ResourceKind } from './api-client.ts'

/** Makes a call of a client, now or later. `kind` is that of the objects. Omitted for a call about a group. */
type Pass = <T>(call: (client: ApiClient) => Promise<T>, kind?: ResourceKind<TypedObject>) => Promise<T>

/** Returns a client whose reads, writes and watches are passed to another one. */
export const delegatingClient = ({ read, write, watch }: Readonly<Record<'read' | 'write' | 'watch', Pass>>): ApiClient => ({
  get: (...args) => read(client => client.get(...args), args[0]),
  list: (...args) => read(client => client.list(...args), args[0]),
  kindsOf: (...args) => read(client => client.kindsOf(...args)),
  watch: (...args) => watch(client => client.watch(...args), args[0]),
  create: (...args) => write(client => client.create(...args), args[0]),
  update: (...args) => write(client => client.update(...args), args[0]),
  patch: (...args) => write(client => client.patch(...args), args[0]),
  apply: (...args) => write(client => client.apply(...args), args[0]),
  delete: (...args) => write(client => client.delete(...args), args[0]),
  post: (...args) => write(client => client.post(...args), args[0]),
})
