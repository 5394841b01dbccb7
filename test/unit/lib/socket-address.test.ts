import { expect } from 'chai'
import { serverNameOf, socketAddress } from '../../../src/lib/socket-address.ts'

const cases: [text: string, address: object | undefined, name?: string][] = [
  ['a.b:1', { host: 'a.b', port: 1 }, 'a.b'],
  ['[::1]:65535', { host: '::1', port: 65_535 }, '::1'],
  ['unix:/run/etcd.sock', { path: '/run/etcd.sock' }, 'etcd.sock'],
  ['unix:localhost:2379', { path: 'localhost:2379' }, 'localhost'],
  ['unix:/run/[::1]:2379', { path: '/run/[::1]:2379' }, '::1'],
  ['unix:', undefined],
  ['a', undefined],
  ['/run/etcd.sock', undefined],
]

describe('addresses of sockets', () => {
  for (const [text, address, name] of cases)
    it(text, () => {
      const parsed = socketAddress(text)
      expect(parsed).to.deep.equal(address)
      if (parsed) expect(serverNameOf(parsed)).to.equal(name)
    })
})
