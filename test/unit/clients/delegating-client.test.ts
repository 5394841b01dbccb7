import { expect } from 'chai'
import type { ApiClient } from '../../../src/clients/api-client.ts'
import { delegatingClient } from '../../../src/clients/delegating-client.ts'

const CALLS = {
  read: ['get', 'list', 'kindsOf'],
  write: ['create', 'update', 'patch', 'apply', 'delete', 'post'],
  watch: ['watch'],
} as const

describe('delegatingClient', () => {
  for (const [way, methods] of Object.entries(CALLS))
    for (const method of methods)
      it(`passes ${method} on as a ${way}, with its arguments and its result`, async () => {
        const seen: unknown[] = []
        const target = { [method]: async (...args: unknown[]) => args } as unknown as ApiClient
        const passing =
          (name: string) =>
          <T>(call: (client: ApiClient) => Promise<T>): Promise<T> => {
            seen.push(name)
            return call(target)
          }
        const client = delegatingClient({ read: passing('read'), write: passing('write'), watch: passing('watch') })
        const called = (client[method] as (...args: unknown[]) => Promise<unknown>)('a', 1)
        expect(await called).to.deep.equal(['a', 1])
        expect(seen).to.deep.equal([way])
      })
})
