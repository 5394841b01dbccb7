import { type AdmissionPlugin, admissionChain } from '../../src/admission/chain.ts'
import { ConditionMetrics } from '../../src/admission/expressions/condition-metrics.ts'
import { compileValidatingPolicy } from '../../src/admission/policies/compiled-policy.ts'
import { PolicyMetrics } from '../../src/admission/policies/metrics.ts'
import { compileMutatingPolicy } from '../../src/admission/policies/mutating/compiled-mutations.ts'
import { MutatingPolicyMetrics } from '../../src/admission/policies/mutating/metrics.ts'
import { mutatingAdmissionPolicy } from '../../src/admission/policies/mutating/plugin.ts'
import { paramReader } from '../../src/admission/policies/param-reader.ts'
import { validatingAdmissionPolicy } from '../../src/admission/policies/plugin.ts'
import type { AdmissionPolicy, PolicyBinding } from '../../src/admission/policies/policy.ts'
import { PolicyIndex } from '../../src/admission/policies/policy-index.ts'
import type {
  MutatingAdmissionPolicySpec,
  NamedRuleWithOperations,
  ValidatingAdmissionPolicySpec,
} from '../../src/api/admissionregistration/v1.types.ts'
import type { TypedObject } from '../../src/api/meta/object.ts'
import { DEFAULT_RELEASE } from '../../src/lifecycle/release.ts'
import type { Authorizer } from '../../src/meta/authorizer.ts'
import type { RequestContext } from '../../src/meta/context.ts'
import { clone } from '../../src/meta/equal.ts'
import { applyKindDefaults } from '../../src/registry/decode-object.ts'
import { internalContext } from '../../src/registry/internal-context.ts'
import type { WriteTarget } from '../../src/registry/types.ts'
import { answerObject } from '../../src/registry/types.ts'
import type { AnyObject } from './any-object.ts'
import { builtinRegistry, CONFIG_MAPS, NAMESPACES } from './builtin-registry.ts'
import { NEVER, type TestRegistry } from './test-registry.ts'

const GROUP = 'admissionregistration.k8s.io'
const POLICIES = { group: GROUP, resource: 'validatingadmissionpolicies' }
const BINDINGS = { group: GROUP, resource: 'validatingadmissionpolicybindings' }

/** Every write of a config map, which is most of what the policies of tests are about. */
export const CONFIG_MAP_RULES: NamedRuleWithOperations[] = [
  { apiGroups: [''], apiVersions: ['v1'], operations: ['*'], resources: ['configmaps'] },
]

/** Built-in kinds with policies in force, and a namespace `ns`. */
export class PolicyWorld {
  readonly t: TestRegistry = builtinRegistry()
  readonly index = new PolicyIndex(compileValidatingPolicy)
  readonly mutatingIndex = new PolicyIndex(compileMutatingPolicy)
  readonly metrics = new PolicyMetrics()
  readonly conditionMetrics = new ConditionMetrics()
  readonly mutatingMetrics = new MutatingPolicyMetrics()
  readonly #ready: Promise<unknown>

  /** @param authorize decisions of `authorizer`. @param others plugins that run after the mutating policies. */
  constructor(
    authorize: Authorizer['authorize'] = async () => ({ decision: 'no opinion', reason: '' }),
    others: readonly AdmissionPlugin[] = [],
    release = DEFAULT_RELEASE,
  ) {
    const { t, index, metrics, mutatingIndex, mutatingMetrics } = this
    const env = {
      catalog: t.catalog,
      params: paramReader(served => t.registry.store(served)),
      getNamespace: (name: string) => t.access().get(NAMESPACES, '', name),
      authorize,
      conditionMetrics: this.conditionMetrics,
    }
    const mutating = mutatingAdmissionPolicy({ ...env, index: mutatingIndex, metrics: mutatingMetrics, refuseRepeated: true })
    t.admission = admissionChain([mutating, ...others, validatingAdmissionPolicy({ ...env, index, metrics, release })])
    this.#ready = t
      .access()
      .create(NAMESPACES, '', { kind: 'Namespace', apiVersion: 'v1', metadata: { name: 'ns', labels: { team: 'a' } } })
  }

  /**
   * Puts a policy in force that is bound once, under its own name. @param spec without matchConstraints it is about
   * config maps.
   */
  async policy(name: string, spec: object, binding: object = {}): Promise<void> {
    await this.#ready
    const api = this.t.access()
    const type = { apiVersion: `${GROUP}/v1`, metadata: { name } }
    const policy: AdmissionPolicy<ValidatingAdmissionPolicySpec> = {
      kind: 'ValidatingAdmissionPolicy',
      ...type,
      spec: { matchConstraints: { resourceRules: CONFIG_MAP_RULES }, ...clone(spec) },
    }
    const bound: PolicyBinding = {
      kind: 'ValidatingAdmissionPolicyBinding',
      ...type,
      spec: { policyName: name, validationActions: ['Deny'], ...clone(binding) },
    }
    this.index.putPolicy(
      (await api.create(POLICIES, '', policy as TypedObject as AnyObject)) as TypedObject as AdmissionPolicy<ValidatingAdmissionPolicySpec>,
    )
    this.index.putBinding((await api.create(BINDINGS, '', bound as TypedObject as AnyObject)) as TypedObject as PolicyBinding)
  }

  /** The same with a MutatingAdmissionPolicy. */
  async mutatingPolicy(name: string, spec: Partial<MutatingAdmissionPolicySpec>, binding: object = {}): Promise<void> {
    await this.#ready
    const type = { apiVersion: `${GROUP}/v1alpha1`, metadata: { name, uid: name, generation: 1 } }
    const resourceRules: NamedRuleWithOperations[] = [{ ...CONFIG_MAP_RULES[0], operations: ['CREATE', 'UPDATE'] }]
    const matchConstraints = { namespaceSelector: {}, objectSelector: {}, resourceRules, ...spec.matchConstraints }
    this.mutatingIndex.putPolicy({ kind: 'MutatingAdmissionPolicy', ...type, spec: { ...spec, matchConstraints } })
    this.mutatingIndex.putBinding({ kind: 'MutatingAdmissionPolicyBinding', ...type, spec: { policyName: name, ...binding } })
  }

  context(): RequestContext {
    return { ...internalContext({ verb: 'create' }, NEVER, this.t.now), warn: text => void this.t.warnings.push(text) }
  }

  /** Creates a config map in `ns`. Its warnings are in `t.warnings`. */
  async configMap(name: string, parts: Partial<AnyObject> = {}, options: Partial<WriteTarget> = {}): Promise<AnyObject> {
    await this.#ready
    const served = this.t.served(CONFIG_MAPS)
    const object = { kind: 'ConfigMap', apiVersion: 'v1', ...parts, metadata: { name, ...parts.metadata } } as AnyObject
    const target = { ctx: this.context(), served, subresource: '', namespace: 'ns', name, dryRun: false, manager: 'tester', ...options }
    return answerObject(await this.t.registry.store(served).create(target, applyKindDefaults(served.version, object)))
  }
}

export { BINDINGS, POLICIES }
