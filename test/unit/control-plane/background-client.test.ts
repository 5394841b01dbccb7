import { expect } from 'chai'
import type { ApiClient, ObjectName } from '../../../src/clients/api-client.ts'
import { backgroundClient } from '../../../src/control-plane/background-client.ts'
import { endTurn, nextTurn } from '../../../src/lib/turn.ts'

describe('a client in the background', () => {
  const kind = { group: '', version: 'v1', resource: 'pods', kind: 'Pod', namespaced: true }

  it('begins its calls in order, when requests of other clients do not need the turn', async () => {
    const begun: string[] = []
    const asked = {
      get: async (_kind: unknown, _namespace: string, name: string) => void begun.push(name),
      delete: async (_kind: unknown, _namespace: string, name: string) => void begun.push(name),
      patch: async (_kind: unknown, { name }: ObjectName) => void begun.push(name),
    }
    const client = backgroundClient(asked as unknown as ApiClient)
    await nextTurn()
    endTurn()
    const calls = [client.get(kind, '', 'one'), client.delete(kind, '', 'two'), client.patch(kind, { namespace: '', name: 'three' }, {})]
    const other = nextTurn().then(() => begun.push('a request'))
    expect(begun).to.deep.equal([])
    await Promise.all([...calls, other])
    expect(begun).to.deep.equal(['a request', 'one', 'two', 'three'])
  })

  it('begins calls for leases with the requests of other clients', async () => {
    const begun: string[] = []
    const asked = { update: async ({ resource }: { readonly resource: string }) => void begun.push(resource) }
    const client = backgroundClient(asked as unknown as ApiClient)
    await nextTurn()
    endTurn()
    const calls = [
      client.update(kind, {} as never),
      client.update({ ...kind, group: 'coordination.k8s.io', resource: 'leases' }, {} as never),
    ]
    await nextTurn().then(() => begun.push('a request'))
    expect(begun).to.deep.equal(['leases', 'a request'])
    await Promise.all(calls)
    expect(begun).to.deep.equal(['leases', 'a request', 'pods'])
  })
})
