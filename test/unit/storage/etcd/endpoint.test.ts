import { expect } from 'chai'
import { parseEndpoint, usesTls } from '../../../../src/storage/etcd/endpoint.ts'

/** Those of etcd's own test, and what a dialler of Go refuses. Source: client/v3/internal/endpoint/endpoint_test.go */
const cases: [text: string, address: string | undefined, isSecure?: boolean][] = [
  ['unix:abc', 'unix:abc', false],
  ['unix:///abc', 'unix:/abc', false],
  ['unix://abc', 'unix:abc', false],
  ['unix:///abc:1234', 'unix:/abc:1234', false],
  ['unixs:///abc', 'unix:/abc', true],
  ['unixs:abc:1234', 'unix:abc:1234', true],
  ['unixs://localhost:2379', 'unix:localhost:2379', true],
  ['http://127.0.0.1:2379', '127.0.0.1:2379', false],
  ['https://127.0.0.1:2379/', '127.0.0.1:2379', true],
  ['http://[2001:db8::1]:2379', '[2001:db8::1]:2379', false],
  ['[::1]:2379', '[::1]:2379'],
  ['localhost:2379', 'localhost:2379'],
  ['etcd-0.etcd.kube-system.svc:2379', 'etcd-0.etcd.kube-system.svc:2379'],
  ['localhost', undefined],
  ['http://localhost', undefined],
  ['http://localhost:0', undefined],
  ['http://::1:2379', undefined],
  ['http://user@localhost:2379', undefined],
  ['http://localhost:2379/path', undefined],
  ['tcp://localhost:2379', undefined],
  ['unix:', undefined],
  ['unix://', undefined],
  ['unix:///', undefined],
  ['', undefined],
]

describe('endpoints of etcd', () => {
  for (const [text, address, isSecure] of cases)
    it(`${JSON.stringify(text)} is ${address ?? 'rejected'}`, () => {
      expect(parseEndpoint(text)).to.deep.equal(address === undefined ? undefined : { address, isSecure })
    })

  it('use TLS according to their schemes, or to certificates if they have none', () => {
    const of = (...servers: string[]) => servers.map(server => parseEndpoint(server)!)
    expect(usesTls(of('https://a:1', 'b:1'), false)).to.equal(true)
    expect(usesTls(of('http://a:1', 'unix:///b'), true)).to.equal(false)
    expect([false, true].map(hasCertificates => usesTls(of('a:1', 'b:1'), hasCertificates))).to.deep.equal([false, true])
    expect(usesTls(of('https://a:1', 'unix:///b'), true)).to.equal(undefined)
  })
})
