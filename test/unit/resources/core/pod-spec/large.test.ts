import { expect } from 'chai'
import type { NodeSelectorRequirement, Pod, PodSpec, PodTemplateSpec, Toleration } from '../../../../../src/api/core/v1.types.ts'
import { isSteps } from '../../../../../src/lib/steps.ts'
import { boundedErrors } from '../../../../../src/meta/error-bound.ts'
import type { FieldError } from '../../../../../src/meta/field-error.ts'
import { fieldPath } from '../../../../../src/meta/field-path.ts'
import { validatePodStatusUpdate } from '../../../../../src/resources/core/pod/status-validation.ts'
import { validatePodUpdate } from '../../../../../src/resources/core/pod/validation.ts'
import { validatePodAnnotations, validatePodAnnotationsUpdate } from '../../../../../src/resources/core/pod-spec/annotations.ts'
import { largeTemplateOptions, podTemplateOptions } from '../../../../../src/resources/core/pod-spec/options.ts'
import { validatePodSpec, validatePodTemplateSpec } from '../../../../../src/resources/core/pod-spec/validation.ts'
import { withLargeTemplate } from '../../../../../src/resources/core/workload/template.ts'
import { countedSteps } from '../../../../support/counted-steps.ts'
import { hookContext } from '../../../../support/hook-context.ts'

const MANY = 20_000
const PATH = fieldPath('spec', 'template')
const context = hookContext()
const list = <T>(item: (i: number) => T): T[] => Array.from({ length: MANY }, (_, i) => item(i))

const requirement = (i: number): NodeSelectorRequirement => ({ key: `k${i}`, operator: 'Exists' })
const inTerms = (...lists: NodeSelectorRequirement[][]): PodSpec =>
  ({
    containers: [],
    affinity: {
      nodeAffinity: {
        requiredDuringSchedulingIgnoredDuringExecution: { nodeSelectorTerms: lists.map(matchExpressions => ({ matchExpressions })) },
      },
    },
  }) as unknown as PodSpec

const LARGE: Readonly<Record<string, PodSpec>> = {
  'a node selector': { containers: [], nodeSelector: Object.fromEntries(list(i => [`k${i}`, i === 7 ? '-' : 'v'])) } as unknown as PodSpec,
  'many terms': inTerms(...list(i => [requirement(i)])),
  'a term with many requirements': inTerms(list(requirement)),
  'many containers': { containers: list(i => ({ name: `c${i}`, image: 'i', resources: {} })) } as unknown as PodSpec,
  'many init containers': {
    containers: [],
    initContainers: list(i => ({ name: `c${i}`, image: 'i', resources: {} })),
  } as unknown as PodSpec,
  'many limits': {
    containers: [{ name: 'c', image: 'i', resources: { limits: Object.fromEntries(list(i => [`e.io/k${i}`, '1'])) } }],
  } as unknown as PodSpec,
}

const inRequired = (term: object): object => ({ podAntiAffinity: { requiredDuringSchedulingIgnoredDuringExecution: [term] } })

/** Specs with one long list, of which each item is validated by itself. */
const LISTS: Readonly<Record<string, object>> = {
  ports: {
    containers: [{ name: 'c', image: 'i', resources: {}, ports: list(i => ({ containerPort: i + 1, hostPort: i + 1, protocol: 'TCP' })) }],
  },
  env: { containers: [{ name: 'c', image: 'i', resources: {}, env: list(i => ({ name: `e${i}` })) }] },
  envFrom: { containers: [{ name: 'c', image: 'i', resources: {}, envFrom: list(i => ({ configMapRef: { name: `m${i}` } })) }] },
  volumeMounts: { containers: [{ name: 'c', image: 'i', resources: {}, volumeMounts: list(() => ({ name: 'v', mountPath: '/a' })) }] },
  volumeDevices: { containers: [{ name: 'c', image: 'i', resources: {}, volumeDevices: list(() => ({ name: 'v', devicePath: '/a' })) }] },
  tolerations: { tolerations: list(i => ({ key: `k${i}`, operator: 'Exists' })) },
  topologySpreadConstraints: {
    topologySpreadConstraints: list(i => ({ maxSkew: 1, topologyKey: `k${i}`, whenUnsatisfiable: 'ScheduleAnyway' })),
  },
  readinessGates: { readinessGates: list(i => ({ conditionType: `e.io/${i}` })) },
  schedulingGates: { schedulingGates: list(i => ({ name: `e.io/${i}` })) },
  hostAliases: { hostAliases: list(() => ({ ip: '127.0.0.1', hostnames: ['a'] })) },
  hostnames: { hostAliases: [{ ip: '127.0.0.1', hostnames: list(i => `n${i}`) }] },
  'labels in a term': {
    affinity: inRequired({ topologyKey: 'x', labelSelector: { matchLabels: Object.fromEntries(list(i => [`k${i}`, 'v'])) } }),
  },
  'namespaces of a term': { affinity: inRequired({ topologyKey: 'x', labelSelector: {}, namespaces: list(i => `n${i}`) }) },
  'labels in a constraint': {
    topologySpreadConstraints: [
      {
        maxSkew: 1,
        topologyKey: 'x',
        whenUnsatisfiable: 'ScheduleAnyway',
        labelSelector: { matchLabels: Object.fromEntries(list(i => [`k${i}`, 'v'])) },
      },
    ],
  },
  resourceClaims: { resourceClaims: list(i => ({ name: `c${i}`, resourceClaimName: 'c' })) },
  sysctls: { securityContext: { sysctls: list(i => ({ name: `kernel.a${i}`, value: '1' })) } },
  supplementalGroups: { securityContext: { supplementalGroups: list(i => i) } },
}

const texts = (errors: readonly FieldError[]): string[] => errors.map(({ field, body }) => `${field}: ${body}`)

describe('a large pod spec', () => {
  for (const [name, spec] of Object.entries(LARGE)) {
    const template = (): PodTemplateSpec => ({ metadata: {}, spec: structuredClone(spec) })
    const optionsOf = (of: PodTemplateSpec) => podTemplateOptions(context.features, of, undefined)

    it(`with ${name} is validated in many steps`, () => {
      const of = template()
      expect(countedSteps(validatePodSpec(of.spec, '', PATH, optionsOf(of))).yields).to.be.at.least(30)
    })

    it(`with ${name} is validated once before the rules of its kind, with the same errors`, () => {
      let validated = 0
      const validate = withLargeTemplate<PodTemplateSpec>(
        PATH,
        of => of,
        of => {
          validated++
          return validatePodTemplateSpec(of, PATH, optionsOf(of))
        },
      )
      const of = template()
      const expected = texts(validatePodTemplateSpec(template(), PATH, optionsOf(of)))
      expect(expected).not.to.deep.equal([])
      const result = validate(of, undefined, context)
      if (!isSteps(result)) throw new Error('not in steps')
      const { result: errors, yields } = countedSteps(result)
      expect(texts(errors)).to.deep.equal(expected)
      expect([validated, yields >= 30]).to.deep.equal([1, true])
      expect(validatePodTemplateSpec(of, PATH, optionsOf(of))).to.equal(errors)
    })
  }

  it('is validated in one call if it is small', () => {
    const small = { metadata: {}, spec: { containers: [] } } as unknown as PodTemplateSpec
    const validate = withLargeTemplate<PodTemplateSpec>(
      PATH,
      of => of,
      () => [],
    )
    expect(validate(small, undefined, context)).to.deep.equal([])
  })

  for (const [name, part] of Object.entries(LISTS)) {
    it(`with many ${name} is validated in steps of few of them`, () => {
      const spec = (of: object) => ({ containers: [{ name: 'c', image: 'i', resources: {} }], ...of }) as unknown as PodSpec
      const yieldsOf = (of: object): number =>
        countedSteps(
          boundedErrors(validatePodSpec(spec(of), '', PATH, podTemplateOptions(context.features, { metadata: {}, spec: spec(of) }))),
        ).yields
      // Texts of errors end a validation early.
      expect(yieldsOf(part)).to.be.at.least(yieldsOf({}) + 30)
    })
  }

  it('with many annotations is validated in steps, also when it is updated', () => {
    const annotations = Object.fromEntries(list(i => [`k${i}`, 'v']))
    const spec = { containers: [] } as unknown as PodSpec
    const steps = Math.floor(MANY / 512)
    expect(countedSteps(validatePodAnnotations(annotations, spec, PATH, false)).yields).to.be.at.least(steps)
    expect(countedSteps(validatePodAnnotationsUpdate(annotations, { ...annotations }, PATH)).yields).to.be.at.least(2 * steps)
    const pod = { metadata: { name: 'p', annotations }, spec, status: {} } as unknown as Pod
    expect(countedSteps(validatePodStatusUpdate(pod, structuredClone(pod), context.features)).yields).to.be.at.least(3 * steps)
  })

  it('has its options of an update determined in steps, once', () => {
    const template = (name: string): PodTemplateSpec => ({ metadata: {}, spec: LARGE[name] as PodSpec })
    const [next, old] = [template('many limits'), template('many limits')]
    const { result, yields } = countedSteps(largeTemplateOptions(context.features, next, old))
    expect(yields).to.be.at.least(Math.floor(MANY / 512))
    expect(podTemplateOptions(context.features, next, old)).to.equal(result)
    expect(podTemplateOptions(context.features, next, template('many terms'))).not.to.equal(result)
  })

  it('with many tolerations is compared in steps when the pod is updated', () => {
    const pod = (tolerations: readonly Toleration[]): Pod =>
      ({ metadata: { name: 'p' }, spec: { containers: [], tolerations } }) as unknown as Pod
    const tolerations = list((i): Toleration => ({ key: `k${i}`, operator: 'Exists' }))
    const update = (next: readonly Toleration[]) => countedSteps(validatePodUpdate(pod(next), pod(tolerations), context.features))
    const of = (errors: readonly FieldError[]) => texts(errors).filter(text => text.startsWith('spec.tolerations'))
    const added = update([...tolerations, { operator: 'Exists' }])
    expect(of(added.result)).to.deep.equal([])
    expect(added.yields).to.be.at.least(Math.floor((2 * MANY) / 512))
    expect(of(update(tolerations.slice(0, -1)).result)).to.have.lengthOf(1)
  })
})
