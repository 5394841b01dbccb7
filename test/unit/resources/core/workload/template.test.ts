import { expect } from 'chai'
import type { Pod } from '../../../../../src/api/core/v1.types.ts'
import type { KubeObject } from '../../../../../src/api/meta/object.ts'
import type { ResourceDefinition } from '../../../../../src/catalog/definition.ts'
import type { Strategy } from '../../../../../src/catalog/strategy.ts'
import { isSteps, type Steps } from '../../../../../src/lib/steps.ts'
import type { FieldError } from '../../../../../src/meta/field-error.ts'
import { daemonSetResource } from '../../../../../src/resources/apps/daemon-set/definition.ts'
import { deploymentResource } from '../../../../../src/resources/apps/deployment/definition.ts'
import { replicaSetResource } from '../../../../../src/resources/apps/replica-set/definition.ts'
import { statefulSetResource } from '../../../../../src/resources/apps/stateful-set/definition.ts'
import { cronJobResource } from '../../../../../src/resources/batch/cron-job/definition.ts'
import { jobResource } from '../../../../../src/resources/batch/job/definition.ts'
import { ephemeralContainersStrategy } from '../../../../../src/resources/core/pod/ephemeral-containers.ts'
import { resizeStrategy } from '../../../../../src/resources/core/pod/resize.ts'
import { podStrategy } from '../../../../../src/resources/core/pod/strategy.ts'
import { podTemplateResource } from '../../../../../src/resources/core/pod-template/definition.ts'
import { replicationControllerResource } from '../../../../../src/resources/core/replication-controller/definition.ts'
import { selectionOf } from '../../../../../src/resources/core/workload/template.ts'
import { countedSteps } from '../../../../support/counted-steps.ts'
import { featuresIn, hookContext } from '../../../../support/hook-context.ts'

const MANY = 20_000
const STEPS = 30
/** StatefulSets validate their template since 1.34. */
const context = hookContext({ features: featuresIn('1.34') })

const SMALL = {
  metadata: { labels: { a: 'b' } },
  spec: {
    containers: [{ name: 'c', image: 'i', imagePullPolicy: 'Always', terminationMessagePolicy: 'File', resources: {} }],
    restartPolicy: 'Always',
    dnsPolicy: 'Default',
    terminationGracePeriodSeconds: 30,
  },
}

/** A template with a node selector of many labels, of which one has an invalid value and one is deprecated. */
function template(last = 'v'): object {
  const nodeSelector: Record<string, string> = { bad: '-', 'beta.kubernetes.io/os': 'linux' }
  for (let i = 0; i < MANY; i++) nodeSelector[`k${i}`] = 'v'
  nodeSelector.last = last
  return { ...SMALL, spec: { ...SMALL.spec, nodeSelector } }
}

/** Kinds with a template, an object of each, and the path of the template. */
const KINDS: readonly [ResourceDefinition, (template: object) => object, string][] = [
  [podTemplateResource, of => ({ template: of }), 'template'],
  [replicationControllerResource, of => ({ spec: { selector: { a: 'b' }, template: of } }), 'spec.template'],
  [replicaSetResource, of => ({ spec: { selector: { matchLabels: { a: 'b' } }, template: of } }), 'spec.template'],
  [deploymentResource, of => ({ spec: { selector: { matchLabels: { a: 'b' } }, strategy: {}, template: of } }), 'spec.template'],
  [daemonSetResource, of => ({ spec: { selector: { matchLabels: { a: 'b' } }, updateStrategy: {}, template: of } }), 'spec.template'],
  [
    statefulSetResource,
    of => ({
      spec: { selector: { matchLabels: { a: 'b' } }, updateStrategy: { type: 'OnDelete' }, podManagementPolicy: 'Parallel', template: of },
    }),
    'spec.template',
  ],
  [jobResource, of => ({ spec: { template: of } }), 'spec.template'],
  [
    cronJobResource,
    of => ({ spec: { schedule: '5 * * * ?', jobTemplate: { metadata: {}, spec: { template: of } } } }),
    'spec.jobTemplate.spec.template',
  ],
]

const objectOf = (content: object): KubeObject =>
  structuredClone({ kind: '', apiVersion: '', metadata: { name: 'x', generation: 1 }, status: {}, ...content })

/** Runs a result, which must come in many steps. */
function inManySteps<T>(result: T | Steps<T> | undefined): T {
  if (typeof result !== 'object' || !isSteps(result as object | Steps<object>)) throw new Error('not in steps')
  const counted = countedSteps(result as Steps<T>)
  expect(counted.yields).to.be.at.least(STEPS)
  return counted.result
}

const fieldsOf = (errors: readonly FieldError[]): string[] => errors.map(({ field }) => field)

describe('a large pod template', () => {
  for (const [{ hub, strategy = {} }, of, path] of KINDS) {
    const { prepare, validate, warnings } = strategy as Strategy
    const object = (last?: string): KubeObject => objectOf(of(template(last)))

    it(`is validated in steps on create, in a ${hub.kind}`, () => {
      expect(fieldsOf(inManySteps(validate?.(object(), undefined, context)))).to.include(`${path}.spec.nodeSelector`)
    })

    it(`is validated in steps on update, in a ${hub.kind}`, () => {
      expect(fieldsOf(inManySteps(validate?.(object(), objectOf(of(SMALL)), context)))).to.include(`${path}.spec.nodeSelector`)
    })

    it(`has its warnings in steps, in a ${hub.kind}`, () => {
      expect(inManySteps(warnings?.(object(), undefined, context)).join()).to.include('beta.kubernetes.io/os')
    })

    it(`is compared in steps, and increments the generation if it has changed, in a ${hub.kind}`, () => {
      const next = object('w')
      inManySteps(prepare?.(next, object(), context))
      expect(next.metadata.generation).to.equal(2)
      const same = object()
      inManySteps(prepare?.(same, object(), context))
      expect(same.metadata.generation).to.equal(1)
    })
  }

  it('has a selector that is compared with its labels', () => expect(selectionOf({ matchLabels: { a: 'b' } })).to.have.length(1))
})

describe('a large pod', () => {
  const pod = (last?: string): KubeObject => objectOf({ spec: (template(last) as typeof SMALL).spec })
  const strategies: Record<string, Strategy> = {
    pod: podStrategy as Strategy,
    'subresource ephemeralcontainers': ephemeralContainersStrategy as Strategy,
    'subresource resize': resizeStrategy as Strategy,
  }
  for (const [name, { validate }] of Object.entries(strategies))
    it(`is validated in steps in an update of the ${name}`, () => {
      expect(fieldsOf(inManySteps(validate?.(pod(), pod(), context)))).to.include('spec.nodeSelector')
    })

  it('is compared in steps in an update', () => {
    const next = pod('w')
    inManySteps(podStrategy.prepare?.(next as Pod, pod() as Pod, context))
    expect(next.metadata.generation).to.equal(2)
  })
})
