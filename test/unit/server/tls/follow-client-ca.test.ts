import { once } from 'node:events'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import tls, { type TLSSocket } from 'node:tls'
import { expect } from 'chai'
import { silentLogger } from '../../../../src/lib/log.ts'
import { createSecurePort } from '../../../../src/server/connections/listeners.ts'
import type { Authorities, AuthorityMaterial } from '../../../../src/server/tls/authorities.ts'
import { clientCaOf, followClientCa } from '../../../../src/server/tls/follow-client-ca.ts'
import { issueCa, issueClient, issueServing, type KeyPair } from '../../../../src/server/tls/issue.ts'
import { ServingCertificates } from '../../../../src/server/tls/serving-certificates.ts'
import { eventually } from '../../../support/waiting.ts'

describe('followClientCa', () => {
  let directory = ''
  let stop: AbortController
  beforeEach(() => {
    directory = mkdtempSync(join(tmpdir(), 'client-ca-'))
    stop = new AbortController()
  })
  afterEach(() => {
    stop.abort()
    rmSync(directory, { recursive: true })
  })

  /** Follows a file with the first CA. `told` has the CAs of each change. */
  async function follow(first: KeyPair, onChange: (clientCa: string) => void = () => {}) {
    const own = await issueCa('own')
    const file = join(directory, 'clients.crt')
    const write = (text: string): void => writeFileSync(file, text)
    write(first.cert)
    const told: string[][] = []
    const errors: string[] = []
    const options = {
      files: { clients: file },
      ownCa: own.cert,
      inForce: { clientCa: clientCaOf(own.cert, first.cert) },
      intervalMs: 5,
      log: { ...silentLogger, error: (_: string, fields?: Record<string, unknown>) => void errors.push(String(fields?.error)) },
      onChange({ clientCa }: AuthorityMaterial, { clients }: Authorities) {
        told.push(clients.map(({ subject }) => subject))
        onChange(clientCa)
      },
    }
    return { own, file, write, told, errors, done: followClientCa(options, stop.signal) }
  }

  it('reports changed contents, and ignores unchanged or empty ones', async () => {
    const [one, two] = await Promise.all(['one', 'two'].map(issueCa))
    const { file, write, told, errors, done } = await follow(one as KeyPair)
    write(`${one?.cert}${two?.cert}`)
    await eventually('it is told', () => told.length > 0)
    expect(told).to.deep.equal([['CN=own', 'CN=one', 'CN=two']])
    write('nothing')
    await eventually('it is an error', () => errors.includes('the file contains no certificates'))
    rmSync(file)
    await eventually('it is missed', () => errors.some(text => text.startsWith('ENOENT')))
    write(two?.cert ?? '')
    await eventually('it is told', () => told.length === 2)
    expect(told.at(-1)).to.deep.equal(['CN=own', 'CN=two'])
    stop.abort()
    await done
  })

  it('keeps the CA of front proxies that no file has', async () => {
    const [own, clients, proxy] = (await Promise.all(['own', 'clients', 'proxy'].map(issueCa))) as [KeyPair, KeyPair, KeyPair]
    const file = join(directory, 'clients.crt')
    writeFileSync(file, clients.cert)
    const told: AuthorityMaterial[] = []
    const inForce = { clientCa: own.cert, frontProxyCa: proxy.cert }
    const options = { files: { clients: file }, ownCa: own.cert, inForce, intervalMs: 5, log: silentLogger }
    const done = followClientCa({ ...options, onChange: material => void told.push(material) }, stop.signal)
    await eventually('it is told', () => told.length > 0)
    expect(told).to.deep.equal([{ clientCa: clientCaOf(own.cert, clients.cert), frontProxyCa: proxy.cert }])
    stop.abort()
    await done
  })

  it('reloads the CAs of front proxies as well', async () => {
    const [own, proxy, other] = (await Promise.all(['own', 'proxy', 'other'].map(issueCa))) as [KeyPair, KeyPair, KeyPair]
    const frontProxies = join(directory, 'proxies.crt')
    writeFileSync(frontProxies, proxy.cert)
    const told: Authorities[] = []
    const inForce = { clientCa: own.cert, frontProxyCa: proxy.cert }
    const onChange = (_: AuthorityMaterial, authorities: Authorities) => void told.push(authorities)
    void followClientCa({ files: { frontProxies }, ownCa: own.cert, inForce, intervalMs: 5, log: silentLogger, onChange }, stop.signal)
    writeFileSync(frontProxies, other.cert)
    await eventually('it is told', () => told.length > 0)
    expect(told.map(({ clients, frontProxies }) => [clients, frontProxies].map(each => each.map(({ subject }) => subject)))).to.deep.equal([
      [['CN=own'], ['CN=other']],
    ])
  })

  it('keeps the current CAs while a file is incomplete', async () => {
    const [one, two] = await Promise.all(['one', 'two'].map(issueCa))
    const { write, told, errors } = await follow(one as KeyPair)
    write(`${two?.cert}`.slice(0, -3))
    await eventually('it is an error', () => errors.length > 0)
    expect({ told, errors }).to.deep.equal({ told: [], errors: ['the file ends within a certificate'] })
    write(`${two?.cert}`)
    await eventually('it is told', () => told.length > 0)
    expect(told).to.deep.equal([['CN=own', 'CN=two']])
  })

  it('accepts certificates of the new CA on new connections', async () => {
    const [one, two] = (await Promise.all(['one', 'two'].map(issueCa))) as [KeyPair, KeyPair]
    const serving = await issueServing(one, 'server', { dns: ['localhost'], ips: [] })
    const material = { cert: serving.cert, key: serving.key }
    const certificates = new ServingCertificates({ ...material, clientCa: one.cert })
    const server = createSecurePort(() => {}, { certificates, http2: 'own' })
    const { write, told } = await follow(one, clientCa => certificates.change([server], { clientCa }))
    server.listen(0)
    await once(server, 'listening')
    const client = await issueClient(two, 'jane', [])
    /** Empty if the client is authorized. Otherwise the error. */
    const doubt = async (): Promise<string> => {
      const accepted = once(server, 'secureConnection') as Promise<[TLSSocket]>
      const socket = tls.connect({ port: (server.address() as AddressInfo).port, ca: one.cert, servername: 'localhost', ...client })
      const [secured] = await accepted
      socket.destroy()
      return secured.authorized ? '' : String(secured.authorizationError)
    }
    try {
      expect(await doubt()).to.match(/UNABLE|SELF_SIGNED/)
      write(two.cert)
      await eventually('it is told', () => told.length === 1)
      await eventually('certificates of the new CA are accepted', async () => (await doubt()) === '')
    } finally {
      server.close()
    }
  })
})
