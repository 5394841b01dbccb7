import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect } from 'chai'
import { findEtcd, startEtcd } from '../support/etcd.ts'
import { createJsonClient } from '../support/json-client.ts'
import { startKmsPlugin } from '../support/kms-plugin.ts'
import { createServerProcess, type ServerProcess } from '../support/server-process.ts'
import { eventually } from '../support/waiting.ts'

const SECRETS = '/api/v1/namespaces/default/secrets'
const secret = (name: string) => ({ kind: 'Secret', apiVersion: 'v1', metadata: { name }, stringData: { password: 'never-in-the-clear' } })

/** Secrets behind a key management service that rotates its key, goes, and comes again. */
async function live(flags: readonly string[]): Promise<void> {
  const directory = mkdtempSync(join(tmpdir(), 'kms-'))
  const file = join(directory, 'config.yaml')
  const socket = join(directory, 'kms.sock')
  const kms = { apiVersion: 'v2', name: 'mine', endpoint: `unix://${socket}`, timeout: '1s' }
  writeFileSync(
    file,
    JSON.stringify({
      kind: 'EncryptionConfiguration',
      apiVersion: 'apiserver.config.k8s.io/v1',
      resources: [{ resources: ['secrets'], providers: [{ kms }, { identity: {} }] }],
    }),
  )
  let plugin = await startKmsPlugin(socket)
  const server = await createServerProcess([...flags, '--encryption-provider-config', file])
  const client = createJsonClient(server.url)
  try {
    await server.start()
    const made = await client.must('POST', SECRETS, secret('a'))
    expect((await client.must('GET', `${SECRETS}/a`)).data).to.deep.equal(made.data)
    expect((await client.ask('GET', '/readyz/kms-providers')).status).to.equal(200)

    // Another key, in a server that has to ask for what was written before.
    await server.terminate()
    plugin.keyId = 'two'
    await server.start()
    expect((await client.must('GET', SECRETS)).items.map((item: typeof made) => item.data)).to.deep.equal([made.data])
    expect(plugin.calls.Decrypt).to.be.at.least(1)
    const read = await client.must('GET', `${SECRETS}/a`)
    // Stale data is written although the object is unchanged.
    const written = await client.must('PUT', `${SECRETS}/a`, read)
    expect(written.metadata.resourceVersion).not.to.equal(read.metadata.resourceVersion)
    expect((await client.must('PUT', `${SECRETS}/a`, written)).metadata.resourceVersion).to.equal(written.metadata.resourceVersion)

    // Without the key of what was written, and then with it.
    await server.terminate()
    plugin.lost.add('two')
    plugin.keyId = 'three'
    if (flags.length > 0) plugin.lost.clear()
    await server.start()
    if (flags.length === 0) {
      const lost = await client.ask('GET', `${SECRETS}/a`)
      expect([lost.status, lost.body.message]).to.deep.equal([
        500,
        'Internal error occurred: failed to decrypt DEK, error: rpc error: code = Unknown desc = no key two',
      ])
      plugin.lost.clear()
    }
    await eventually('the secret is read', async () => (await client.ask('GET', `${SECRETS}/a`)).status === 200)
    plugin.close()
    plugin = await startKmsPlugin(socket, 'three')
    await client.must('POST', SECRETS, secret('b'))
    if (flags.length === 0) {
      plugin.close()
      await server.terminate()
      await server.start('serving')
      await refusesWrites(server)
    }
  } finally {
    client.close()
    await server.stop()
    plugin.close()
    rmSync(directory, { recursive: true })
  }
}

/** Without a key to write with. */
async function refusesWrites(server: ServerProcess): Promise<void> {
  const client = createJsonClient(server.url)
  const refused = await client.ask('POST', SECRETS, { body: secret('c') })
  const metrics = await (await fetch(`${server.url}/metrics`)).text()
  client.close()
  expect([refused.status, refused.body.reason, refused.body.message]).to.deep.equal([
    500,
    'InternalError',
    'Internal error occurred: got unexpected nil transformer',
  ])
  expect(server.log()).not.to.contain('request failed')
  expect(metrics).to.match(
    /^apiserver_storage_transformation_operations_total{resource="secrets",status="unknown-non-grpc",transformation_type="to_storage",transformer_prefix="k8s:enc:kms:v2:mine:"} 1$/m,
  )
}

describe('secrets encrypted by a key management service', () => {
  it('on the embedded store', () => live([]))

  const found = findEtcd() !== undefined
  ;(found ? it : it.skip)(`on etcd${found ? '' : ' (no etcd)'}`, async () => {
    const etcd = await startEtcd()
    try {
      await live(['--etcd-servers', etcd.url])
    } finally {
      await etcd.stop()
    }
  })
})
