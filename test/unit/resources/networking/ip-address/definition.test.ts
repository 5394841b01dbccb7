import { expect } from 'chai'
import { ipAddressResource } from '../../../../../src/resources/networking/ip-address/definition.ts'
import type { AnyObject } from '../../../../support/any-object.ts'
import { causesOf, serverOf } from '../../../../support/workloads.ts'

const address = (name: string, parentRef: object | undefined = { resource: 'services', namespace: 'ns', name: 'web' }): AnyObject =>
  ({ apiVersion: 'networking.k8s.io/v1', kind: 'IPAddress', metadata: { name }, spec: { parentRef } }) as AnyObject

describe('IPAddress', () => {
  const names: [string, string[]][] = [
    ['192.0.2.1', []],
    ['2001:db8::1', []],
    ['web', ['metadata.name: Invalid value: "web": must be a valid IP address, (e.g. 10.9.8.7 or 2001:db8::ffff)']],
    ['192.0.2.01', ['metadata.name: Invalid value: "192.0.2.01": must not have leading 0s']],
    ['2001:DB8::1', ['metadata.name: Invalid value: "2001:DB8::1": must be in canonical form ("2001:db8::1")']],
  ]
  for (const [name, causes] of names) {
    it(`requires a canonical address as its name: ${name}`, async () => {
      const { server, gr } = serverOf(ipAddressResource)
      expect(await causesOf(server.create(gr, '', address(name)))).to.deep.equal(causes)
    })
  }

  it('requires a parent with resource and name', async () => {
    const { server, gr } = serverOf(ipAddressResource)
    const none = { ...address('192.0.2.1'), spec: {} }
    expect(await causesOf(server.create(gr, '', none))).to.deep.equal(['spec.parentRef: Required value'])
    expect(await causesOf(server.create(gr, '', address('192.0.2.1', { namespace: 'a/b' })))).to.deep.equal([
      'spec.parentRef.resource: Required value',
      'spec.parentRef.name: Required value',
      'spec.parentRef.namespace: Invalid value: "a/b": may not contain \'/\'',
    ])
  })

  it('requires its parent on update', async () => {
    const { server, gr } = serverOf(ipAddressResource)
    await server.create(gr, '', address('192.0.2.1'))
    expect(await causesOf(server.update(gr, '', '192.0.2.1', o => ({ ...o, spec: {} })))).to.deep.equal([
      'spec.parentRef: Required value',
      'spec.parentRef: Invalid value: "null": field is immutable',
    ])
  })

  it('does not allow changing its parent', async () => {
    const { server, gr } = serverOf(ipAddressResource)
    await server.create(gr, '', address('192.0.2.1'))
    const change = server.update(gr, '', '192.0.2.1', o => ({ ...o, spec: { parentRef: { ...o.spec.parentRef, name: 'db' } } }))
    expect(await causesOf(change)).to.deep.equal([
      'spec.parentRef: Invalid value: networking.ParentReference{Group:"", Resource:"services", Namespace:"ns", Name:"db"}: field is immutable',
    ])
  })

  it('prints its parent', async () => {
    const { server, gr } = serverOf(ipAddressResource)
    await server.create(gr, '', address('192.0.2.1'))
    await server.create(gr, '', address('192.0.2.2', { group: 'example.com', resource: 'things', name: 'x' }))
    expect(server.cells(gr, '', '192.0.2.1')).to.deep.equal(['192.0.2.1', 'services/ns/web', '0s'])
    expect(server.cells(gr, '', '192.0.2.2')).to.deep.equal(['192.0.2.2', 'things.example.com/x', '0s'])
  })
})
