import { X509Certificate } from 'node:crypto'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect } from 'chai'
import { readCommandLine } from '../../../src/config/command-line.ts'
import type { Config } from '../../../src/config/config.ts'
import { silentLogger } from '../../../src/lib/log.ts'
import { shareCredentials } from '../../../src/process/shared-credentials.ts'
import { issueCa } from '../../../src/server/tls/issue.ts'
import { agreedKey, agreedValues } from '../../../src/storage/agreed-values.ts'
import { key } from '../../../src/storage/revision.ts'
import { identity } from '../../../src/storage/value/identity.ts'
import { never } from '../../support/backend.ts'
import { whole } from '../../support/credentials.ts'
import { MemoryBackend } from '../../support/memory-backend.ts'
import { eventually } from '../../support/waiting.ts'

const AT = agreedKey('/registry', 'certificate-authority')

describe('shareCredentials', () => {
  let root = ''
  beforeEach(() => {
    root = mkdtempSync(join(tmpdir(), 'shared-'))
  })
  afterEach(() => rmSync(root, { recursive: true, force: true }))

  function configOf(server: string): Config {
    const command = readCommandLine([`--data-dir=${join(root, server)}`])
    if (command.action !== 'serve') throw new Error('not a server')
    return command.config
  }
  const share = (backend: MemoryBackend, server: string, signal = never, warn: (text: string) => void = () => {}) =>
    shareCredentials(configOf(server), agreedValues(backend, identity, '/registry'), { ...silentLogger, warn }, signal)
  const file = (server: string, name: string): string => join(root, server, 'pki', name)

  it('gives servers that start together one authority, and each its own certificate', async () => {
    const backend = new MemoryBackend()
    const servers = ['a', 'b', 'c'].map(server => share(backend, server))
    const credentials = await Promise.all(servers.map(one => whole(one.credentials)))
    const [first] = credentials
    for (const one of credentials) {
      expect(one.serverCa).to.equal(first?.serverCa)
      expect(new X509Certificate(one.tls.cert).verify(new X509Certificate(first?.serverCa ?? '').publicKey)).to.equal(true)
    }
    expect(await Promise.all(servers.map(({ conflict }) => conflict))).to.deep.equal([undefined, undefined, undefined])
    expect(readFileSync(file('b', 'ca.crt'), 'utf8')).to.equal(first?.serverCa)
  })

  it('shares the authority that a server already has', async () => {
    const backend = new MemoryBackend()
    const before = await whole(shareCredentials(configOf('a'), undefined, silentLogger, never).credentials)
    const first = share(backend, 'a')
    expect((await whole(first.credentials)).serverCa).to.equal(before.serverCa)
    expect(await first.conflict).to.equal(undefined)
    expect((await whole(share(backend, 'b').credentials)).serverCa).to.equal(before.serverCa)
  })

  it('reports a server with another authority, and the remedy', async () => {
    const backend = new MemoryBackend()
    await whole(share(backend, 'a').credentials)
    await whole(shareCredentials(configOf('b'), undefined, silentLogger, never).credentials)
    const conflict = await share(backend, 'b').conflict
    expect(conflict?.message).to.contain(`${file('b', 'ca.crt')} is not the certificate authority of the servers on this etcd`)
    expect(conflict?.message).to.contain('/registry/binnacle/certificate-authority')
  })

  it('uses the shared authority, also for the serving certificate, once the former one is removed', async () => {
    const backend = new MemoryBackend()
    const { serverCa } = await whole(share(backend, 'a').credentials)
    await whole(shareCredentials(configOf('b'), undefined, silentLogger, never).credentials)
    for (const name of ['ca.crt', 'ca.key']) rmSync(file('b', name))
    const taken = await whole(share(backend, 'b').credentials)
    expect(taken.serverCa).to.equal(serverCa)
    for (const { cert } of [taken.tls, taken.admin])
      expect(new X509Certificate(cert).verify(new X509Certificate(serverCa).publicKey)).to.equal(true)
  })

  it('serves with its own authority while the store is unreachable, and waits if it has none', async () => {
    const backend = new MemoryBackend()
    const { serverCa } = await whole(share(backend, 'a').credentials)
    backend.down = true
    const warnings: string[] = []
    const again = share(backend, 'a', never, text => void warnings.push(text))
    expect((await again.credentials).serverCa).to.equal(serverCa)
    const fresh = share(backend, 'b', never, text => void warnings.push(text))
    await eventually('it waits', () => warnings.length === 2)
    backend.down = false
    expect((await fresh.credentials).serverCa).to.equal(serverCa)
    expect(await again.conflict).to.equal(undefined)
    expect(warnings).to.deep.equal(new Array(2).fill('waiting for etcd, which does not respond (--etcd-servers)'))
  })

  it('stops waiting when the signal aborts', async () => {
    const backend = new MemoryBackend()
    backend.down = true
    const stop = new AbortController()
    const { credentials, conflict } = share(backend, 'a', stop.signal)
    stop.abort()
    expect(
      await credentials.then(
        () => 'made',
        () => 'none',
      ),
    ).to.equal('none')
    expect(await conflict).to.equal(undefined)
  })

  it('replaces an authority that cannot be parsed', async () => {
    const backend = new MemoryBackend()
    backend.apply([{ key: key(AT), value: Buffer.from('{}') }])
    const { serverCa } = await whole(share(backend, 'a').credentials)
    expect(JSON.parse((await backend.get(AT, never)).item?.value.toString() ?? '').cert).to.equal(serverCa)
  })

  it('keeps a serving pair of another issuer', async () => {
    const backend = new MemoryBackend()
    await whole(share(backend, 'a').credentials)
    const other = await issueCa('other')
    writeFileSync(file('a', 'apiserver.crt'), other.cert)
    writeFileSync(file('a', 'apiserver.key'), other.key)
    expect((await whole(share(backend, 'a').credentials)).tls.cert).to.equal(other.cert)
  })
})
