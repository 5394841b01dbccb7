import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect } from 'chai'
import type { ManifestPluginName } from '../../../src/admission/manifests/manifest-directories.ts'
import { createControlPlane } from '../../../src/control-plane/control-plane.ts'
import { parseGates } from '../../../src/lifecycle/gates.ts'
import { StatusError } from '../../../src/meta/status.ts'
import { apiHandler } from '../../support/api-handler.ts'
import { controlPlaneOptions } from '../../support/control-plane-options.ts'
import { FakeExchange } from '../../support/exchange.ts'
import { MemoryBackend } from '../../support/memory-backend.ts'
import { patience } from '../../support/waiting.ts'

const GROUP = 'admissionregistration.k8s.io/v1'
const RULES = { apiGroups: ['*'], apiVersions: ['*'], operations: ['CREATE'], resources: ['*'] }

const policy = (name: string, spec: object = {}) => ({
  apiVersion: GROUP,
  kind: 'ValidatingAdmissionPolicy',
  metadata: { name },
  spec: {
    matchConstraints: { resourceRules: [RULES] },
    validations: [{ expression: "!object.metadata.name.startsWith('bad')", message: 'bad name' }],
    ...spec,
  },
})
const binding = (name: string, policyName: string, spec: object = {}) => ({
  apiVersion: GROUP,
  kind: 'ValidatingAdmissionPolicyBinding',
  metadata: { name },
  spec: { policyName, validationActions: ['Deny'], ...spec },
})
const mutation = (name: string) => ({
  apiVersion: GROUP,
  kind: 'MutatingAdmissionPolicy',
  metadata: { name },
  spec: {
    matchConstraints: { resourceRules: [{ ...RULES, apiGroups: [''], resources: ['configmaps'] }] },
    reinvocationPolicy: 'Never',
    mutations: [
      {
        patchType: 'ApplyConfiguration',
        applyConfiguration: { expression: 'Object{metadata: Object.metadata{labels: {"from": "file"}}}' },
      },
    ],
  },
})
const mutationBinding = (name: string, policyName: string) => ({
  apiVersion: GROUP,
  kind: 'MutatingAdmissionPolicyBinding',
  metadata: { name },
  spec: { policyName },
})
const hooks = (name: string, webhook: object = {}) => ({
  apiVersion: GROUP,
  kind: 'ValidatingWebhookConfiguration',
  metadata: { name },
  webhooks: [
    {
      name: 'a.example.com',
      clientConfig: { url: 'https://127.0.0.1:1/' },
      rules: [RULES],
      admissionReviewVersions: ['v1'],
      sideEffects: 'None',
      timeoutSeconds: 1,
      ...webhook,
    },
  ],
})

describe('admission manifests', () => {
  let directory = ''
  beforeEach(() => {
    directory = mkdtempSync(join(tmpdir(), 'manifests-'))
  })
  afterEach(() => rmSync(directory, { recursive: true }))

  const write = (file: string, ...objects: readonly object[]): void =>
    writeFileSync(join(directory, file), objects.map(object => JSON.stringify(object)).join('\n---\n'))
  const planeWith = (plugin: ManifestPluginName) =>
    createControlPlane(
      controlPlaneOptions(new MemoryBackend(), {
        release: { emulatedVersion: '1.37', gates: parseGates('1.37') },
        admission: { manifests: new Map([[plugin, directory]]) },
      }),
    )
  const post = async (
    plane: ReturnType<typeof planeWith>,
    path: string,
    object: object,
  ): Promise<{ status: number; message: string; text: string }> => {
    const exchange = new FakeExchange(path, { method: 'POST', body: JSON.stringify(object) })
    try {
      await apiHandler(plane.api)(exchange)
      return { status: exchange.status, message: '', text: exchange.text }
    } catch (error) {
      if (!(error instanceof StatusError)) throw error
      return { status: error.code, message: error.status.message ?? '', text: '' }
    }
  }
  const map = (name: string) => ({ apiVersion: 'v1', kind: 'ConfigMap', metadata: { name } })
  const MAPS = '/api/v1/namespaces/ns/configmaps'
  const POLICIES = '/apis/admissionregistration.k8s.io/v1/validatingadmissionpolicies'

  /** Loads the manifests and passes the control plane to `use`. */
  const loaded = async <T>(plugin: ManifestPluginName, use: (plane: ReturnType<typeof planeWith>) => Promise<T>): Promise<T> => {
    const plane = planeWith(plugin)
    try {
      await plane.loadManifests()
      await plane.synced(patience())
      await post(plane, '/api/v1/namespaces', { apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'ns' } })
      return await use(plane)
    } finally {
      await plane.close()
    }
  }

  it('put policies into force, also for policies of the API', async () => {
    write('a.yaml', policy('p.static.k8s.io'), binding('b.static.k8s.io', 'p.static.k8s.io'))
    await loaded('ValidatingAdmissionPolicy', async plane => {
      expect((await post(plane, MAPS, map('good'))).status).to.equal(201)
      const denied = "ValidatingAdmissionPolicy 'p.static.k8s.io' with binding 'b.static.k8s.io' denied request: bad name"
      expect(await post(plane, MAPS, map('bad'))).to.deep.include({ status: 422, message: `configmaps "bad" is forbidden: ${denied}` })
      expect(await post(plane, POLICIES, policy('bad'))).to.include({ status: 422 })
      expect(await post(plane, POLICIES, policy('good'))).to.include({ status: 201 })
      const reserved =
        'ValidatingAdmissionPolicy.admissionregistration.k8s.io "x.static.k8s.io" is invalid: metadata.name: Invalid value: "x.static.k8s.io": names ending with ".static.k8s.io" are reserved for static manifest-based configurations and cannot be managed via the API'
      expect(await post(plane, POLICIES, policy('x.static.k8s.io'))).to.deep.include({ status: 422, message: reserved })
    })
  })

  it('put mutations into force, from lists', async () => {
    write('a.json', {
      apiVersion: 'v1',
      kind: 'List',
      items: [
        mutation('p.static.k8s.io'),
        { apiVersion: GROUP, kind: 'MutatingAdmissionPolicyBindingList', items: [mutationBinding('b.static.k8s.io', 'p.static.k8s.io')] },
      ],
    })
    await loaded('MutatingAdmissionPolicy', async plane => {
      expect(JSON.parse((await post(plane, MAPS, map('m'))).text).metadata.labels).to.deep.equal({ from: 'file' })
    })
  })

  it('put webhooks into force', async () => {
    write('a.yaml', hooks('h.static.k8s.io'))
    const plane = planeWith('ValidatingAdmissionWebhook')
    try {
      await plane.loadManifests()
      for (const [path, object] of [
        ['/api/v1/namespaces', { apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'ns' } }],
        ['/apis/admissionregistration.k8s.io/v1/validatingwebhookconfigurations', hooks('mine')],
      ] as const)
        expect((await post(plane, path, object)).message, path).to.match(/failed calling webhook "a.example.com"/)
    } finally {
      await plane.close()
    }
  })

  const refused: [why: string, plugin: ManifestPluginName, objects: readonly object[], message: string][] = [
    [
      'without the suffix',
      'ValidatingAdmissionPolicy',
      [policy('p')],
      'error loading FILE: "p" in file "FILE" must have a name ending with ".static.k8s.io"',
    ],
    [
      'of the same name',
      'ValidatingAdmissionWebhook',
      [hooks('h.static.k8s.io'), hooks('h.static.k8s.io')],
      'error loading FILE: duplicate name "h.static.k8s.io" found in file "FILE" (previously seen in "FILE")',
    ],
    [
      'with a service',
      'ValidatingAdmissionWebhook',
      [hooks('h.static.k8s.io', { clientConfig: { service: { name: 's', namespace: 'ns' } } })],
      'error loading FILE: webhook "a.example.com" in "h.static.k8s.io" (file "FILE"): clientConfig.service is not supported for static manifests; use clientConfig.url instead',
    ],
    [
      'with a kind of parameters',
      'ValidatingAdmissionPolicy',
      [policy('p.static.k8s.io', { paramKind: { apiVersion: 'v1', kind: 'ConfigMap' } })],
      'error loading FILE: ValidatingAdmissionPolicy "p.static.k8s.io": spec.paramKind is not supported for static manifests',
    ],
    [
      'with parameters',
      'ValidatingAdmissionPolicy',
      [
        policy('p.static.k8s.io'),
        binding('b.static.k8s.io', 'p.static.k8s.io', { paramRef: { name: 'x', parameterNotFoundAction: 'Deny' } }),
      ],
      'error loading FILE: binding "b.static.k8s.io": spec.paramRef is not supported for static manifests',
    ],
    [
      'that bind a policy of the API',
      'ValidatingAdmissionPolicy',
      [binding('b.static.k8s.io', 'p')],
      'error loading FILE: binding "b.static.k8s.io": spec.policyName "p" must end with ".static.k8s.io"',
    ],
    [
      'that bind a missing policy',
      'ValidatingAdmissionPolicy',
      [binding('b.static.k8s.io', 'p.static.k8s.io')],
      'binding "b.static.k8s.io" references policy "p.static.k8s.io" which does not exist in the manifest directory',
    ],
    [
      'of the kinds of another plugin',
      'MutatingAdmissionWebhook',
      [hooks('h.static.k8s.io')],
      'error loading FILE: unsupported resource type *v1.ValidatingWebhookConfiguration',
    ],
    [
      'of another version',
      'ValidatingAdmissionPolicy',
      [{ ...policy('p.static.k8s.io'), apiVersion: 'admissionregistration.k8s.io/v1beta1' }],
      'error loading FILE: unsupported resource type *v1beta1.ValidatingAdmissionPolicy',
    ],
    [
      'of another group',
      'ValidatingAdmissionPolicy',
      [map('m')],
      'error loading FILE: no kind "ConfigMap" is registered for version "v1" in scheme "pkg/runtime/scheme.go:110"',
    ],
    [
      'with unknown fields',
      'ValidatingAdmissionPolicy',
      [policy('p.static.k8s.io', { extra: 1 })],
      'error loading FILE: strict decoding error: unknown field "spec.extra"',
    ],
    [
      'that the API would refuse',
      'ValidatingAdmissionPolicy',
      [policy('p.static.k8s.io', { validations: [] })],
      'error loading FILE: ValidatingAdmissionPolicy "p.static.k8s.io": [spec.validations: Required value: validations or auditAnnotations must contain at least one item, spec.auditAnnotations: Required value: validations or auditAnnotations must contain at least one item]',
    ],
  ]
  for (const [why, plugin, objects, message] of refused)
    it(`refuse objects ${why}`, async () => {
      write('a.yaml', ...objects)
      const kind = plugin.endsWith('Webhook') ? 'webhook' : 'policy'
      const error = await loaded(plugin, async () => 'loaded').catch((failure: Error) => failure.message)
      expect(error).to.equal(
        `failed to apply admission: failed to initialize admission plugin "${plugin}": failed to load static ${kind} manifests from "${directory}": ${message.replaceAll('FILE', join(directory, 'a.yaml'))}`,
      )
    })

  for (const [what, text] of [
    ['an object', 'apiVersion: admissionregistration.k8s.io/v1\nkind: ValidatingAdmissionPolicy\nmetadata: {name: a, name: b}\n'],
    [
      'an item of a list',
      'apiVersion: v1\nkind: List\nitems:\n- {apiVersion: admissionregistration.k8s.io/v1, kind: ValidatingAdmissionPolicy, metadata: {name: a, name: b}}\n',
    ],
  ] as const)
    it(`refuse repeated members of ${what}`, async () => {
      writeFileSync(join(directory, 'a.yaml'), text)
      const error = await loaded('ValidatingAdmissionPolicy', async () => 'loaded').catch((failure: Error) => failure.message)
      expect(error).to.match(/strict decoding error: yaml: unmarshal errors:\n {2}line \d: key "name" already set in map$/)
    })
})
