import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect } from 'chai'
import { silentLogger } from '../../src/lib/log.ts'
import { openEtcd } from '../../src/storage/etcd/open-etcd.ts'
import { key } from '../../src/storage/revision.ts'
import { type encryptionConfig, encryptionFile, encryptionOf, identityProvider, providerOf } from '../support/encryption-config.ts'
import { findEtcd, startEtcd } from '../support/etcd.ts'
import { createJsonClient } from '../support/json-client.ts'
import { createServerProcess, type ServerProcess } from '../support/server-process.ts'
import { patience } from '../support/waiting.ts'

const SECRETS = '/api/v1/namespaces/default/secrets'
/** Text that must not occur in the store, and its base64, as it occurs in JSON. */
const CLEAR = 'never-in-the-clear'
const secret = (name: string) => ({ kind: 'Secret', apiVersion: 'v1', metadata: { name }, stringData: { password: CLEAR } })
const hidden = (bytes: Buffer): boolean => !bytes.includes(CLEAR) && !bytes.includes(Buffer.from(CLEAR).toString('base64'))

/** Keys come and go by the file, the server restarting between. */
async function rotate(flags: readonly string[], held?: (name: string) => Promise<Buffer>): Promise<void> {
  const directory = mkdtempSync(join(tmpdir(), 'encryption-'))
  const file = join(directory, 'config.yaml')
  const server: ServerProcess = await createServerProcess([
    ...flags,
    '--encryption-provider-config',
    file,
    '--feature-gates=AllowUnsafeMalformedObjectDeletion=true',
  ])
  const client = createJsonClient(server.url)
  const restart = async (...providers: Parameters<typeof encryptionConfig>): Promise<void> => {
    await server.terminate()
    writeFileSync(file, encryptionFile(['secrets', '*.apps'], ...providers))
    await server.start()
  }
  try {
    writeFileSync(file, encryptionFile(['secrets', '*.apps'], providerOf('aescbc', 'one')))
    await server.start()
    const made = await client.must('POST', SECRETS, secret('a'))
    await client.must('POST', SECRETS, secret('b'))
    if (held) expect((await held('a')).toString('latin1')).to.match(/^k8s:enc:aescbc:v1:one:/)

    await restart(providerOf('secretbox', 'two'), providerOf('aescbc', 'one'), identityProvider)
    const read = await client.must('GET', `${SECRETS}/a`)
    expect(read).to.deep.equal(made)
    const written = await client.must('PUT', `${SECRETS}/a`, read)
    expect(written.metadata.resourceVersion).not.to.equal(made.metadata.resourceVersion)
    expect((await client.must('PUT', `${SECRETS}/a`, written)).metadata.resourceVersion).to.equal(written.metadata.resourceVersion)
    if (held) {
      const bytes = await held('a')
      expect(bytes.toString('latin1')).to.match(/^k8s:enc:secretbox:v1:two:/)
      const { value } = encryptionOf(providerOf('secretbox', 'two'))
        .transformerFor({ group: '', resource: 'secrets' })
        .fromStorage(bytes, key('/registry/secrets/default/a'))
      expect(value.subarray(0, 4).toString('latin1')).to.equal(
        flags.includes('--storage-media-type=application/vnd.kubernetes.protobuf') ? 'k8s\0' : '{"ki',
      )
    }

    await restart(providerOf('secretbox', 'two'), identityProvider)
    expect((await client.must('GET', `${SECRETS}/a`)).data).to.deep.equal(written.data)
    expect((await client.ask('GET', `${SECRETS}/b`)).status).to.equal(500)
    const list = await client.ask('GET', SECRETS)
    expect([list.status, list.body.reason, list.body.details.causes[0].field]).to.deep.equal([
      500,
      'StorageReadError',
      '/registry/secrets/default/b',
    ])
    const option = 'ignoreStoreReadErrorWithClusterBreakingPotential=true'
    expect((await client.ask('DELETE', `${SECRETS}/a?${option}`)).status).to.equal(422)
    expect((await client.ask('DELETE', `${SECRETS}/b?${option}`)).status).to.equal(200)
    expect((await client.must('GET', SECRETS)).items.map((item: typeof made) => item.metadata.name)).to.deep.equal(['a'])
    await server.terminate()
    if (!held)
      for (const each of readdirSync(server.storeDir)) expect(hidden(readFileSync(join(server.storeDir, each))), each).to.equal(true)
  } finally {
    client.close()
    await server.stop()
    rmSync(directory, { recursive: true })
  }
}

describe('encryption at rest, with changing keys', () => {
  it('on the embedded store', () => rotate([]))

  const found = findEtcd() !== undefined
  for (const form of ['application/json', 'application/vnd.kubernetes.protobuf'])
    (found ? it : it.skip)(`on etcd, in ${form}${found ? '' : ' (skipped: there is no etcd here; hack/etcd installs one)'}`, async () => {
      const etcd = await startEtcd()
      const backend = await openEtcd({ servers: [etcd.url] }, silentLogger)
      try {
        await rotate(['--etcd-servers', etcd.url, `--storage-media-type=${form}`], async name => {
          const value = (await backend.get(key(`/registry/secrets/default/${name}`), patience())).item?.value ?? Buffer.alloc(0)
          expect(hidden(value)).to.equal(true)
          return value
        })
      } finally {
        await backend.close()
        await etcd.stop()
      }
    })
})
