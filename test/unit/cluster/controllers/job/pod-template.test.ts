import { expect } from 'chai'
import type { Pod } from '../../../../../src/api/core/v1.types.ts'
import { indexedPrefix, podTemplate, setIndex } from '../../../../../src/cluster/controllers/job/pod-template.ts'
import { jobOf, ON, podOf } from '../../../../support/job-passes.ts'

const container = { name: 'c', image: 'i', resources: {} }
const indexed = jobOf({
  completionMode: 'Indexed',
  completions: 3,
  template: { metadata: { finalizers: ['a/b'] }, spec: { containers: [container] } },
})

describe('pods of jobs', () => {
  it('adds the finalizer, and the variable with the index', () => {
    const { metadata, spec } = podTemplate(indexed, ON)
    expect(metadata.finalizers).to.deep.equal(['a/b', 'batch.kubernetes.io/job-tracking'])
    expect(spec.containers?.[0]?.env).to.deep.equal([
      {
        name: 'JOB_COMPLETION_INDEX',
        valueFrom: { fieldRef: { fieldPath: "metadata.labels['batch.kubernetes.io/job-completion-index']" } },
      },
    ])
    expect(indexed.spec.template.spec.containers).to.deep.equal([container])
  })

  it('leaves a variable of the user', () => {
    const env = [{ name: 'JOB_COMPLETION_INDEX', value: 'x' }]
    const job = jobOf({ completionMode: 'Indexed', template: { metadata: {}, spec: { containers: [{ ...container, env }] } } })
    expect(podTemplate(job, ON).spec.containers?.[0]?.env).to.deep.equal(env)
  })

  it('reads the index from the annotation if the release has no label', () => {
    const { spec } = podTemplate(indexed, { ...ON, podIndexLabel: false })
    expect(spec.containers?.[0]?.env?.[0]?.valueFrom?.fieldRef?.fieldPath).to.equal(
      "metadata.annotations['batch.kubernetes.io/job-completion-index']",
    )
  })

  it('adds no variable to the pods of other jobs', () => {
    expect(podTemplate(jobOf({ template: { metadata: {}, spec: { containers: [container] } } }), ON).spec.containers).to.deep.equal([
      container,
    ])
  })

  it('sets name, host name, label and annotation of an index', () => {
    const pod: Pod = podOf({})
    setIndex(pod, indexed, 2, undefined, ON)
    expect([pod.metadata.generateName, pod.spec.hostname]).to.deep.equal(['foobar-2-', 'foobar-2'])
    expect([pod.metadata.labels, pod.metadata.annotations]).to.deep.equal([
      { 'batch.kubernetes.io/job-completion-index': '2' },
      { 'batch.kubernetes.io/job-completion-index': '2' },
    ])
  })

  it('continues the number of failures of the index', () => {
    const job = jobOf({ completionMode: 'Indexed', completions: 3, backoffLimitPerIndex: 5 })
    const pod = podOf({})
    setIndex(pod, job, 1, podOf({ phase: 'Failed', index: '1', indexFailureCount: '2' }), ON)
    expect(pod.metadata.annotations?.['batch.kubernetes.io/job-index-failure-count']).to.equal('3')
    expect(pod.metadata.annotations).to.not.have.property('batch.kubernetes.io/job-index-ignored-failure-count')
  })

  it('cuts the name of the job so that the index stays', () => {
    expect(indexedPrefix('n'.repeat(63), 17)).to.equal(`${'n'.repeat(54)}-17-`)
  })
})
