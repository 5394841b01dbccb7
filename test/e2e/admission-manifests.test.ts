import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect } from 'chai'
import { createJsonClient } from '../support/json-client.ts'
import { createServerProcess, type ServerProcess } from '../support/server-process.ts'
import { eventually } from '../support/waiting.ts'

const GROUP = 'admissionregistration.k8s.io/v1'
const MAPS = '/api/v1/namespaces/default/configmaps'
const map = (name: string) => ({ apiVersion: 'v1', kind: 'ConfigMap', metadata: { name } })

/** Manifests of a policy that forbids names with a prefix. */
const manifests = (prefix: string): string =>
  [
    {
      apiVersion: GROUP,
      kind: 'ValidatingAdmissionPolicy',
      metadata: { name: 'names.static.k8s.io' },
      spec: {
        matchConstraints: { resourceRules: [{ apiGroups: [''], apiVersions: ['v1'], operations: ['CREATE'], resources: ['configmaps'] }] },
        validations: [{ expression: `!object.metadata.name.startsWith('${prefix}')` }],
      },
    },
    {
      apiVersion: GROUP,
      kind: 'ValidatingAdmissionPolicyBinding',
      metadata: { name: 'names.static.k8s.io' },
      spec: { policyName: 'names.static.k8s.io', validationActions: ['Deny'] },
    },
  ]
    .map(object => JSON.stringify(object))
    .join('\n---\n')

describe('a server with admission manifests', () => {
  const directory = mkdtempSync(join(tmpdir(), 'manifests-'))
  const file = join(directory, 'policies', 'names.yaml')
  let server: ServerProcess
  before(async () => {
    mkdirSync(join(directory, 'policies'))
    writeFileSync(file, manifests('bad'))
    const configuration = {
      apiVersion: 'apiserver.config.k8s.io/v1',
      kind: 'ValidatingAdmissionPolicyConfiguration',
      staticManifestsDir: join(directory, 'policies'),
    }
    writeFileSync(
      join(directory, 'admission.yaml'),
      JSON.stringify({
        apiVersion: 'apiserver.config.k8s.io/v1',
        kind: 'AdmissionConfiguration',
        plugins: [{ name: 'ValidatingAdmissionPolicy', configuration }],
      }),
    )
    server = await createServerProcess(['--emulated-version=1.37', `--admission-control-config-file=${directory}/admission.yaml`])
    await server.start()
  })
  after(async () => {
    await server.stop()
    rmSync(directory, { recursive: true })
  })

  it('applies them, and reloads them when they change', async () => {
    const client = createJsonClient(server.url)
    const isDenied = async (name: string): Promise<boolean> =>
      (await client.ask('POST', `${MAPS}?dryRun=All`, { body: map(name) })).status === 422
    expect([await isDenied('bad-1'), await isDenied('worse-1')]).to.deep.equal([true, false])
    writeFileSync(file, 'kind: Nonsense')
    await eventually('the server reports the invalid file', () => server.log().includes('admission manifests cannot be reloaded'))
    expect(await isDenied('bad-1')).to.equal(true)
    writeFileSync(file, manifests('worse'))
    await eventually('the new policy is in force', () => isDenied('worse-1'))
    expect(await isDenied('bad-1')).to.equal(false)
    const { body } = await client.ask('GET', '/apis/admissionregistration.k8s.io/v1/validatingadmissionpolicies')
    expect(body.items).to.deep.equal([])
    const metrics = await (await fetch(`${server.url}/metrics`)).text()
    for (const [status, count] of [
      ['success', 2],
      ['failure', 1],
    ] as const)
      expect(metrics).to.match(
        new RegExp(
          `apiserver_manifest_admission_config_controller_automatic_reloads_total\\{status="${status}",plugin="ValidatingAdmissionPolicy",apiserver_id_hash="sha256:[0-9a-f]+"\\} ${count}`,
        ),
      )
  })

  it('reads lists, also with integers beyond 2^53', async () => {
    const client = createJsonClient(server.url)
    const objects = manifests('listed')
      .split('\n---\n')
      .map(text => text.replace('"metadata":{', '"metadata":{"generation":9007199254740993,'))
    writeFileSync(file, `{"apiVersion":"v1","kind":"List","items":[${objects.join(',')}]}`)
    await eventually(
      'the listed policy is in force',
      async () => (await client.ask('POST', `${MAPS}?dryRun=All`, { body: map('listed-1') })).status === 422,
    )
  })

  it('does not start with invalid ones', async () => {
    await server.terminate()
    writeFileSync(file, 'kind: Nonsense')
    const failed = await server.start().catch((error: Error) => error)
    expect(failed).to.be.instanceOf(Error)
    expect(server.log()).to.contain(
      'failed to apply admission: failed to initialize admission plugin "ValidatingAdmissionPolicy": failed to load static policy manifests from',
    )
  })
})
