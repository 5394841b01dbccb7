import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect } from 'chai'
import { ProxyClientKey } from '../../../../src/extensions/aggregation/client-keys.ts'
import { Transports } from '../../../../src/extensions/aggregation/transports.ts'
import { silentLogger } from '../../../../src/lib/log.ts'
import { issueCa, issueClient, type KeyPair } from '../../../../src/server/tls/issue.ts'
import { rejection } from '../../../support/filter-context.ts'
import { eventually } from '../../../support/waiting.ts'

describe('ProxyClientKey', () => {
  const directory = mkdtempSync(join(tmpdir(), 'binnacle-test-'))
  const files = { cert: join(directory, 'c'), key: join(directory, 'k') }
  let [one, two]: KeyPair[] = []
  const write = ({ cert, key }: KeyPair): void => {
    writeFileSync(files.cert, cert)
    writeFileSync(files.key, key)
  }
  before(async () => {
    const ca = await issueCa('front-proxy')
    one = await issueClient(ca, 'one', [])
    two = await issueClient(ca, 'two', [])
  })
  after(() => rmSync(directory, { recursive: true }))

  it('reloads changed files once they match, and reconnects', async () => {
    if (!one || !two) throw new Error('there are no keys')
    write(one)
    const client = await ProxyClientKey.open(files, 1)
    const transports = new Transports(client)
    const backend = { namespace: 'ns', name: 'api', port: 443, insecureSkipTLSVerify: true }
    const registration = { name: 'v1.a', group: 'a', version: 'v1', groupPriority: 1, versionPriority: 1, isAvailable: true, backend }
    const before = transports.of(registration, backend)
    expect(before.transport.tls.cert).to.equal(one.cert)
    expect(transports.of(registration, { ...backend })).to.equal(before)
    const ended = new AbortController()
    const following = client.follow(silentLogger, ended.signal)
    writeFileSync(files.cert, two.cert)
    writeFileSync(files.key, two.key)
    await eventually('it has changed', () => client.generation === 1)
    expect(client.current).to.deep.equal({ cert: two.cert, key: two.key })
    expect(transports.of(registration, backend).transport.tls.cert).to.equal(two.cert)
    ended.abort()
    await following
    transports.close()
  })

  it('shows a certificate that the server issues, once it is issued', async () => {
    if (!one) throw new Error('there are no keys')
    const issued = Promise.resolve(one)
    const client = ProxyClientKey.issued(issued)
    expect([client.current, client.generation]).to.deep.equal([undefined, 0])
    await issued
    expect([client.current, client.generation]).to.deep.equal([one, 1])
    await client.follow(silentLogger, new AbortController().signal)
  })

  it('rejects a key of another certificate', async () => {
    if (!one || !two) throw new Error('there are no keys')
    write({ cert: one.cert, key: two.key })
    expect(String(await rejection(ProxyClientKey.open(files)))).to.equal('Error: tls: private key does not match public key')
  })
})
