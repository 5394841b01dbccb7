import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect } from 'chai'
import { type InProcessServer, openInProcess } from '../support/in-process-server.ts'
import { eventually } from '../support/waiting.ts'

/**
 * Requests to a server of k8s.io/apiserver 1.33 with mutating policies, and its responses. `{ns}` is the namespace of
 * the case, to which its policies apply.
 */
interface PolicyCase {
  readonly policies: readonly { readonly name: string; readonly spec: Spec; readonly binding: object }[]
  readonly requests: readonly { name: string; method: string; path: string; type?: string; body: unknown; code: number; answer: unknown }[]
}
type Spec = { readonly matchConstraints: object; readonly paramKind?: object }

const { definition, cases } = JSON.parse(readFileSync(join(import.meta.dirname, '../fixtures/policies/requests.json'), 'utf8')) as {
  definition: object
  cases: PolicyCase[]
}
const ADMISSION = '/apis/admissionregistration.k8s.io/v1alpha1'
/** Members that no two servers have alike. */
const OWN = new Set(['uid', 'resourceVersion', 'creationTimestamp', 'time', 'generation'])

describe('requests that mutating policies change', () => {
  let server: InProcessServer
  before(async () => {
    server = await openInProcess([
      '--feature-gates=MutatingAdmissionPolicy=true',
      '--runtime-config=admissionregistration.k8s.io/v1alpha1=true',
    ])
    await post('/apis/apiextensions.k8s.io/v1/customresourcedefinitions', definition)
    for (const [i, each] of cases.entries()) await setUp(`case-${i}`, each)
    await post('/api/v1/namespaces', { metadata: { name: 'last' } })
    const mutations = [
      { patchType: 'JSONPatch', jsonPatch: { expression: '[JSONPatch{op: "add", path: "/data", value: {"last": "seen"}}]' } },
    ]
    const rule = { apiGroups: [''], apiVersions: ['v1'], operations: ['CREATE'], resources: ['configmaps'] }
    await force('last', { matchConstraints: { resourceRules: [rule] }, mutations, reinvocationPolicy: 'Never' } as Spec, 'last', {})
    const probe = { method: 'POST', body: { metadata: { name: 'probe' } } }
    await eventually('the last policy', async () =>
      (await server.send('/api/v1/namespaces/last/configmaps?dryRun=All', probe)).text.includes('seen'),
    )
  })
  after(async () => {
    await server?.stop()
    server?.remove()
  })

  async function post(path: string, body: object): Promise<void> {
    const { status, text } = await server.send(path, { method: 'POST', body })
    if (status !== 201) throw new Error(text)
  }

  /** Puts a policy in force in one namespace. */
  async function force(namespace: string, spec: Spec, name: string, binding: object): Promise<void> {
    const matchConstraints = { ...spec.matchConstraints, namespaceSelector: { matchLabels: { 'kubernetes.io/metadata.name': namespace } } }
    const type = { apiVersion: 'admissionregistration.k8s.io/v1alpha1', metadata: { name } }
    await post(`${ADMISSION}/mutatingadmissionpolicies`, { ...type, kind: 'MutatingAdmissionPolicy', spec: { ...spec, matchConstraints } })
    await post(`${ADMISSION}/mutatingadmissionpolicybindings`, {
      ...type,
      kind: 'MutatingAdmissionPolicyBinding',
      spec: { ...binding, policyName: name },
    })
  }

  async function setUp(namespace: string, { policies }: PolicyCase): Promise<void> {
    await post('/api/v1/namespaces', { metadata: { name: namespace } })
    for (const { name, spec, binding } of policies) {
      if (spec.paramKind)
        for (const x of ['1', '2'])
          await post(`/api/v1/namespaces/${namespace}/configmaps`, { metadata: { name: `param${x}`, labels: { param: 'y' } }, data: { x } })
      await force(namespace, spec, `${namespace}-${name}`, binding)
    }
  }

  const shown = (text: string, namespace: string): unknown =>
    JSON.parse(text.replaceAll(namespace, '{ns}'), (name, value) => (OWN.has(name) && typeof value !== 'object' ? undefined : value))

  for (const [i, { requests }] of cases.entries())
    for (const { name, method, path, type = 'application/json', body, code, answer } of requests)
      it(name, async () => {
        const namespace = `case-${i}`
        const headers = { 'content-type': type, 'user-agent': 'tester/1' }
        const reply = await server.send(path.replace('{ns}', namespace), { method, text: JSON.stringify(body), headers })
        expect({ code: reply.status, answer: shown(reply.text, namespace) }).to.deep.equal({ code, answer })
      })
})

describe('mutating policies by release', () => {
  const CASES: [what: string, flags: string[], version: string, changed: boolean][] = [
    ['need nothing in 1.36', ['--emulated-version=1.36'], 'v1', true],
    ['can be turned off in 1.36', ['--emulated-version=1.36', '--disable-admission-plugins=MutatingAdmissionPolicy'], 'v1', false],
    [
      'need their gate in 1.34',
      ['--emulated-version=1.34', '--runtime-config=admissionregistration.k8s.io/v1beta1=true'],
      'v1beta1',
      false,
    ],
  ]
  for (const [what, flags, version, changed] of CASES)
    it(what, async () => {
      const server = await openInProcess(flags)
      try {
        const create = (path: string, kind: string, spec: object, of = version) => {
          const apiVersion = `admissionregistration.k8s.io/${of}`
          return server.send(`/apis/${apiVersion}/${path}`, { method: 'POST', body: { apiVersion, kind, metadata: { name: 'p' }, spec } })
        }
        const resourceRules = [{ apiGroups: [''], apiVersions: ['v1'], operations: ['CREATE'], resources: ['configmaps'] }]
        const mutations = [{ patchType: 'ApplyConfiguration', applyConfiguration: { expression: 'Object{data: {"a": "seen"}}' } }]
        const policy = { matchConstraints: { resourceRules }, mutations, reinvocationPolicy: 'Never' }
        expect((await create('mutatingadmissionpolicies', 'MutatingAdmissionPolicy', policy)).status).to.equal(201)
        expect((await create('mutatingadmissionpolicybindings', 'MutatingAdmissionPolicyBinding', { policyName: 'p' })).status).to.equal(
          201,
        )
        const probe = async (name: string): Promise<string> =>
          (await server.send('/api/v1/namespaces/default/configmaps?dryRun=All', { method: 'POST', body: { metadata: { name } } })).text
        if (changed) await eventually('the policy', async () => (await probe('a')).includes('seen'))
        // A policy that was written later is in force by then.
        const validations = [{ expression: 'object.metadata.name != "fence"', message: 'fenced' }]
        await create('validatingadmissionpolicies', 'ValidatingAdmissionPolicy', { matchConstraints: { resourceRules }, validations }, 'v1')
        await create(
          'validatingadmissionpolicybindings',
          'ValidatingAdmissionPolicyBinding',
          { policyName: 'p', validationActions: ['Deny'] },
          'v1',
        )
        await eventually('the fence', async () => (await probe('fence')).includes('fenced'))
        expect((await probe('a')).includes('seen')).to.equal(changed)
      } finally {
        await server.stop()
        server.remove()
      }
    })
})
