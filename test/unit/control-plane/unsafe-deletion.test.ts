import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect } from 'chai'
import type { KubeObject } from '../../../src/api/meta/object.ts'
import { type ControlPlane, createControlPlane } from '../../../src/control-plane/control-plane.ts'
import { parseGates } from '../../../src/lifecycle/gates.ts'
import { key } from '../../../src/storage/revision.ts'
import { Encryption } from '../../../src/storage/value/encryption.ts'
import { parseEncryptionFile } from '../../../src/storage/value/encryption-file.ts'
import { allowingIf } from '../../support/authorizer.ts'
import { CONFIG_MAPS, NAMESPACES } from '../../support/builtin-registry.ts'
import { controlPlaneOptions, type GivenOptions } from '../../support/control-plane-options.ts'
import { encryptionFile, identityProvider, providerOf } from '../../support/encryption-config.ts'
import { MemoryBackend } from '../../support/memory-backend.ts'
import { startTestServer, type TestServer } from '../../support/server.ts'
import { patience } from '../../support/waiting.ts'

interface Recorded {
  readonly method: string
  readonly path: string
  readonly body?: object
  readonly type?: string
  readonly code: number
  /** Frames of a watch. */
  readonly answer: readonly object[]
}
const recorded = JSON.parse(readFileSync(join(import.meta.dirname, '../../fixtures/encryption/unsafe-deletion.json'), 'utf8')) as Record<
  'on' | 'off',
  readonly Recorded[]
>

const SECRETS = { group: '', resource: 'secrets' }
const OPTION = 'ignoreStoreReadErrorWithClusterBreakingPotential'

function encryptedBy(name: string): Encryption {
  const encryption = new Encryption()
  encryption.configure(
    parseEncryptionFile(Buffer.from(encryptionFile(['secrets', 'configmaps'], providerOf('aesgcm', name), identityProvider)), 'test'),
  )
  return encryption
}
const oldKey = encryptedBy('one')
const newKey = encryptedBy('two')

async function openPlane(backend: MemoryBackend, encryption: Encryption, options: GivenOptions = {}): Promise<ControlPlane> {
  backend.down = false
  const plane = createControlPlane(controlPlaneOptions(backend, { storage: { encryption }, ...options }))
  await plane.synced(patience())
  return plane
}

const secret = (name: string, finalizers: string[] = []): KubeObject => ({
  kind: 'Secret',
  apiVersion: 'v1',
  metadata: { name, finalizers },
  type: 'Opaque',
  data: { p: 'cGFzcw==' },
})

/** s1, s2 and m1 use a removed key, s3 an existing one; m2 is corrupt. */
async function filled(): Promise<MemoryBackend> {
  const backend = new MemoryBackend()
  const before = await openPlane(backend, oldKey)
  const access = before.registry.access()
  await access.create(NAMESPACES, '', { kind: 'Namespace', apiVersion: 'v1', metadata: { name: 't' } })
  await access.create(SECRETS, 't', secret('s1', ['example.io/x']))
  await access.create(SECRETS, 't', secret('s2'))
  await access.create(CONFIG_MAPS, 't', { kind: 'ConfigMap', apiVersion: 'v1', metadata: { name: 'm1' }, data: { a: 'b' } })
  await before.close()
  const after = await openPlane(backend, newKey)
  await after.registry.access().create(SECRETS, 't', secret('s3'))
  await backend.write({ key: key('/registry/configmaps/t/m2'), expected: 0, value: Buffer.from('{"foo') }, patience())
  await after.close()
  return backend
}

const VARIES = new Set(['uid', 'creationTimestamp', 'resourceVersion'])

/** Normalized as the recording is. */
function clean(value: unknown): unknown {
  if (typeof value === 'string') return value.replace(/revision=[1-9]\d*/g, 'revision=-')
  if (Array.isArray(value)) return value.map(clean)
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(
    Object.entries(value)
      .filter(([name]) => name !== 'managedFields')
      .map(([name, member]) => [name, VARIES.has(name) ? '-' : clean(member)]),
  )
}

describe('unreadable objects', () => {
  let server: TestServer
  let plane: ControlPlane
  const start = async (gate: boolean, options: GivenOptions = {}): Promise<void> => {
    const gates = parseGates('1.33', new Map([['AllowUnsafeMalformedObjectDeletion', gate]]))
    plane = await openPlane(await filled(), newKey, { release: { gates }, ...options })
    server = await startTestServer(plane.api)
  }
  afterEach(async () => {
    await server.close()
    await plane.close()
  })
  const ask = async (method: string, path: string, body?: object, type = 'application/json') => {
    const text = body && JSON.stringify(body)
    const answer = await server.plain(path, {
      method,
      ...(text && { body: text, headers: { 'content-type': type, 'content-length': text.length } }),
    })
    const lines = answer.body.toString().trim().split('\n')
    return { code: answer.status, answer: lines.map(line => (line === '' ? '' : clean(JSON.parse(line)))) }
  }

  for (const gate of ['on', 'off'] as const)
    it(`are reported and deleted as in kube-apiserver with the gate ${gate}`, async () => {
      await start(gate === 'on')
      expect(recorded[gate]).to.have.length(43)
      for (const { method, path, body, type, code, answer } of recorded[gate])
        expect(await ask(method, path, body, type), `${method} ${path}`).to.deep.equal({ code, answer })
    })

  it('are an error in a watch, initially and when they are deleted unread', async () => {
    await start(true)
    const [{ type, object }] = (await ask('GET', '/api/v1/namespaces/t/secrets?watch=1&timeoutSeconds=1')).answer as [
      { type: string; object: { message: string } },
    ]
    expect([type, object.message]).to.deep.equal([
      'ERROR',
      'Internal error occurred: data from the storage is not transformable revision=0: no matching key was found for the provided AES transformer',
    ])
    const { metadata } = JSON.parse((await server.plain('/api/v1/namespaces/t/secrets/s3')).body.toString())
    const watching = ask('GET', `/api/v1/namespaces/t/secrets?watch=1&timeoutSeconds=5&resourceVersion=${metadata.resourceVersion}`)
    expect(await ask('DELETE', `/api/v1/namespaces/t/secrets/s1?${OPTION}=true`)).to.have.property('code', 200)
    expect((await watching).answer).to.deep.equal([
      {
        type: 'ERROR',
        object: {
          kind: 'Status',
          apiVersion: 'v1',
          metadata: {},
          status: 'Failure',
          message:
            'saw a DELETED event, but object data is corrupt - data from the storage is not transformable revision=0: no matching key was found for the provided AES transformer',
          reason: 'StorageReadError',
          code: 500,
        },
      },
    ])
  })

  it('are deleted only with permission for unsafe deletion', async () => {
    const asked: string[] = []
    await start(true, {
      access: {
        authorizer: allowingIf(({ verb, resource, name, namespace }, user) => {
          asked.push(`${user.groups.includes('system:masters')} ${verb} ${resource} ${namespace}/${name}`)
          return false
        }),
      },
    })
    const { code, answer } = await ask('DELETE', `/api/v1/namespaces/t/secrets/s1?${OPTION}=true`)
    expect(code).to.equal(403)
    expect(answer[0]).to.include({
      reason: 'Forbidden',
      message: 'secrets "s1" is forbidden: not permitted to do "unsafe-delete-ignore-read-errors", reason: ',
    })
    expect(asked).to.deep.equal(['true unsafe-delete-ignore-read-errors secrets t/s1'])
    expect(await ask('GET', '/api/v1/namespaces/t/secrets/s1')).to.have.property('code', 500)
  })

  it('are not deleted if that permission cannot be checked', async () => {
    await start(true, { access: { authorizer: { authorize: () => Promise.reject(new Error('out of order')) } } })
    const { answer } = await ask('DELETE', `/api/v1/namespaces/t/secrets/s1?${OPTION}=true`)
    expect(answer[0]).to.have.property(
      'message',
      'secrets "s1" is forbidden: error while checking permission for "unsafe-delete-ignore-read-errors", out of order',
    )
  })
})
