import { readFileSync } from 'node:fs'
import { expect } from 'chai'
import { versionedResourceOf } from '../../../../../src/admission/attributes.ts'
import { ConditionMetrics } from '../../../../../src/admission/expressions/condition-metrics.ts'
import { compileMutatingPolicy } from '../../../../../src/admission/policies/mutating/compiled-mutations.ts'
import { mutate } from '../../../../../src/admission/policies/mutating/mutate.ts'
import { MutationError } from '../../../../../src/admission/policies/mutating/mutation-error.ts'
import { PolicyRequest } from '../../../../../src/admission/policies/policy-request.ts'
import type { Mutation } from '../../../../../src/api/admissionregistration/v1.types.ts'
import type { JsonObject, KubeObject } from '../../../../../src/api/meta/object.ts'
import { runAtOnce } from '../../../../../src/lib/steps.ts'
import { parseApiVersion } from '../../../../../src/meta/gvk.ts'
import { isStatusError } from '../../../../../src/meta/status.ts'
import { decodeObject } from '../../../../../src/registry/decode-object.ts'
import { builtinRegistry } from '../../../../support/builtin-registry.ts'

/** A case of `fixtures/policies/mutations.json`: the result of kube-apiserver's own packages of 1.33. */
interface MutationCase {
  readonly name: string
  readonly object: string
  /** Expressions, applied in order. `A:` marks apply configurations, `J:` JSON patches. */
  readonly patches: readonly string[]
  readonly variables?: readonly (readonly [name: string, expression: string])[]
  readonly params?: KubeObject
  /** apiVersion of the request, if it differs from the object's. */
  readonly to?: string
  readonly result?: JsonObject
  readonly error?: string
}

const { objects, cases } = JSON.parse(readFileSync(new URL('../../../../fixtures/policies/mutations.json', import.meta.url), 'utf8')) as {
  objects: Record<string, KubeObject>
  cases: MutationCase[]
}

describe('mutations', () => {
  const t = builtinRegistry()
  const snapshot = t.catalog.snapshot()
  const env = {
    catalog: t.catalog,
    params: { get: () => expect.fail(), list: () => expect.fail() },
    getNamespace: async (name: string) => ({ kind: 'Namespace', apiVersion: 'v1', metadata: { name } }),
    conditionMetrics: new ConditionMetrics(),
    authorize: async () => ({ decision: 'allow', reason: '' }) as const,
  }

  async function made({ object, patches, variables = [], params, to }: MutationCase): Promise<KubeObject | undefined> {
    const before = objects[object]
    const version = parseApiVersion(before?.apiVersion ?? '')
    const served = version && before && snapshot.ofKind(version, before.kind)
    if (!served) return expect.fail(`no ${object}`)
    const asked = {
      ...served,
      version: served.definition.versions.find(({ name }) => to === undefined || to.endsWith(`/${name}`)) ?? served.version,
    }
    const target = t.target('n', { served: to === undefined ? served : asked, namespace: 'ns1' })
    const seen = new PolicyRequest(env, { ...target, operation: 'CREATE', object: decodeObject(served.version, before) })
    const mutations = patches.map((text): Mutation => {
      const expression = text.slice(2)
      return text.startsWith('J')
        ? { patchType: 'JSONPatch', jsonPatch: { expression } }
        : { patchType: 'ApplyConfiguration', applyConfiguration: { expression } }
    })
    const spec = { mutations, variables: variables.map(([name, expression]) => ({ name, expression })), ...(params && { paramKind: {} }) }
    const compiled = runAtOnce(compileMutatingPolicy({ kind: '', apiVersion: '', metadata: {}, spec }))
    const args = { seen, about: versionedResourceOf(served.version, ''), params, variables: compiled.variables, refuseRepeated: true }
    for (const mutation of compiled.mutations) await mutate(mutation, args)
    return seen.request.object
  }

  for (const patch of [
    'J:[JSONPatch{op: "add", path: "/metadata/labels", value: variables.v59}]',
    'J:[JSONPatch{op: "add", path: "/metadata/labels", value: optional.of(variables.v59)}]',
    'A:Object{spec: Object.spec{replicas: variables.v59}}',
    'A:Object{spec: Object.spec{paused: {"a": variables.v59}}}',
  ])
    it(`refuses a patch that is larger than any request, because lists share their elements: ${patch}`, async () => {
      const [object = ''] = Object.keys(objects)
      const variables = Array.from(
        { length: 60 },
        (_, i) => [`v${i}`, i === 0 ? '1' : `[dyn(variables.v${i - 1}), dyn(variables.v${i - 1})]`] as const,
      )
      const error = await made({ name: '', object, patches: [patch], variables }).catch((fault: unknown) => fault)
      expect(error).to.be.instanceOf(MutationError)
      expect((error as MutationError).message).to.equal('the patch has more than 3145728 values and characters')
    })

  for (const each of cases)
    it(each.name, async () => {
      const outcome = await made(each).catch((error: unknown) => {
        if (error instanceof MutationError || isStatusError(error)) return error.message
        throw error
      })
      const { result, error } = each
      const version = parseApiVersion(objects[each.object]?.apiVersion ?? '')
      const kind = version && snapshot.ofKind(version, objects[each.object]?.kind ?? '')
      expect(outcome).to.deep.equal(result && kind ? decodeObject(kind.version, result) : error)
    })
})
