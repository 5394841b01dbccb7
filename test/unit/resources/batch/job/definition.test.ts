import { expect } from 'chai'
import type { Job } from '../../../../../src/api/batch/v1.types.ts'
import { parseGates } from '../../../../../src/lifecycle/gates.ts'
import { jobResource } from '../../../../../src/resources/batch/job/definition.ts'
import { takeLabels } from '../../../../../src/resources/batch/job/generated-selector.ts'
import type { AnyObject } from '../../../../support/any-object.ts'
import { countedSteps } from '../../../../support/counted-steps.ts'
import { featuresOf } from '../../../../support/hook-context.ts'
import { job, template } from '../../../../support/jobs.ts'
import { causesOf, KindCases, validates } from '../../../../support/kind-cases.ts'

const TEMPLATE = 'spec.template'
const indexed = (spec: object = {}) => job({ completionMode: 'Indexed', completions: 5, ...spec })
const failing = (rules: object[], spec: object = {}) => job({ podFailurePolicy: { rules }, ...spec })
const onExit = (requirement: object) => failing([{ action: 'Ignore', onExitCodes: { operator: 'In', values: [1], ...requirement } }])
const succeeding = (...rules: object[]) => indexed({ successPolicy: { rules } })
const RULE = 'spec.podFailurePolicy.rules[0]'
const SUCCESS = 'spec.successPolicy.rules[0]'
const many = (count: number, item: (i: number) => object) => Array.from({ length: count }, (_, i) => item(i))

describe('Job', () => {
  it('defaults counts, policies and the selector', async () => {
    const made = await new KindCases(jobResource).create(job())
    const { uid } = made.metadata
    expect(made.metadata.generation).to.equal(1)
    expect(made.status).to.deep.equal({})
    expect(made.spec).to.deep.include({
      parallelism: 1,
      completions: 1,
      backoffLimit: 6,
      completionMode: 'NonIndexed',
      suspend: false,
      manualSelector: false,
      podReplacementPolicy: 'TerminatingOrFailed',
      selector: { matchLabels: { 'batch.kubernetes.io/controller-uid': uid } },
    })
    expect(made.spec.template.metadata.labels).to.deep.equal({
      'job-name': 'x',
      'batch.kubernetes.io/job-name': 'x',
      'controller-uid': uid,
      'batch.kubernetes.io/controller-uid': uid,
    })
  })

  const defaults: Record<string, [spec: object, expected: object]> = {
    'no completions beside a parallelism': [{ parallelism: 2 }, { parallelism: 2, completions: undefined }],
    'one at a time of several': [{ completions: 3 }, { parallelism: 1, completions: 3 }],
    'an explicit zero': [{ backoffLimit: 0 }, { backoffLimit: 0 }],
    'no total limit if there is one per index': [
      { completionMode: 'Indexed', completions: 1, backoffLimitPerIndex: 1 },
      { backoffLimit: 2147483647 },
    ],
    'the status of a condition, and replacement of failed pods only': [
      { podFailurePolicy: { rules: [{ action: 'Ignore', onPodConditions: [{ type: 'A' }, { type: 'B', status: 'False' }] }] } },
      {
        podReplacementPolicy: 'Failed',
        podFailurePolicy: {
          rules: [
            {
              action: 'Ignore',
              onPodConditions: [
                { type: 'A', status: 'True' },
                { type: 'B', status: 'False' },
              ],
            },
          ],
        },
      },
    ],
  }
  for (const [what, [spec, expected]] of Object.entries(defaults)) {
    it(`has ${what}`, async () => {
      const { spec: made } = await new KindCases(jobResource).create(job(spec))
      for (const [name, value] of Object.entries(expected)) expect(made[name], name).to.deep.equal(value)
    })
  }

  it('copies very many labels of its template in steps', () => {
    const labels = Object.fromEntries(Array.from({ length: 10_000 }, (_, i) => [`k${i}`, 'v']))
    const next = { metadata: { name: 'x', labels }, spec: { template: { metadata: { labels } } } } as unknown as Job
    const steps = takeLabels(next)
    if (steps === undefined) throw new Error('not in steps')
    expect(countedSteps(steps).yields).to.be.at.least(Math.floor(10_000 / 512))
    expect(next.metadata.labels).to.deep.equal(labels)
    expect(next.metadata.labels).not.to.equal(labels)
  })

  it('defaults its labels to those of its template, including generated ones', async () => {
    const labelled = job({ template: template({}, { labels: { a: 'b' } }) })
    const taken = await new KindCases(jobResource).create(labelled)
    expect(taken.metadata.labels).to.deep.equal(taken.spec.template.metadata.labels).and.include({ a: 'b', 'job-name': 'x' })
    expect(taken.metadata.labels).not.to.equal(taken.spec.template.metadata.labels)
    const made = await new KindCases(jobResource).create(job())
    expect(made.metadata.labels).to.deep.equal(made.spec.template.metadata.labels)
    expect((await new KindCases(jobResource).create(labelled, { labels: { c: 'd' } })).metadata.labels).to.deep.equal({ c: 'd' })
  })

  it('does not change a manual selector', async () => {
    const body = job({ manualSelector: true, selector: { matchLabels: { a: 'b' } }, template: template({}, { labels: { a: 'b' } }) })
    const { spec } = await new KindCases(jobResource).create(body)
    expect([spec.selector, spec.template.metadata.labels]).to.deep.equal([{ matchLabels: { a: 'b' } }, { a: 'b' }])
  })

  validates(jobResource, {
    zeros: [job({ parallelism: 0, completions: 0, backoffLimit: 0, ttlSecondsAfterFinished: 0, activeDeadlineSeconds: 0 }), []],
    'numbers below zero': [
      job({ parallelism: -1, completions: -1, backoffLimit: -1, ttlSecondsAfterFinished: -1 }),
      ['Invalid spec.parallelism', 'Invalid spec.completions', 'Invalid spec.backoffLimit', 'Invalid spec.ttlSecondsAfterFinished'],
    ],
    'the restart policy of other pods': [
      job({ template: template({ restartPolicy: undefined }) }),
      [`Required ${TEMPLATE}.spec.restartPolicy`],
    ],
    'an unknown restart policy': [
      job({ template: template({ restartPolicy: 'Maybe' }) }),
      [`NotSupported ${TEMPLATE}.spec.restartPolicy`, `NotSupported ${TEMPLATE}.spec.restartPolicy`],
    ],
    'a failure policy of pods that restart': [
      failing([{ action: 'Count', onExitCodes: { operator: 'In', values: [1] } }], { template: template({ restartPolicy: 'OnFailure' }) }),
      [`Invalid ${TEMPLATE}.spec.restartPolicy`],
    ],
    'a failure policy without containers': [
      failing([{ action: 'Count', onExitCodes: { operator: 'In', values: [1] } }], { template: template({ containers: null }) }),
      [`Required ${TEMPLATE}.spec.containers`],
    ],
    'a selector of its own': [
      job({ selector: { matchLabels: { a: 'b' } } }),
      ['Invalid spec.selector', `Invalid ${TEMPLATE}.metadata.labels`],
    ],
    "another job's label": [
      job({ template: template({}, { labels: { 'job-name': 'other' } }) }),
      [`Invalid ${TEMPLATE}.metadata.labels[job-name]`],
    ],
    'a manual selector that is missing': [
      job({ manualSelector: true, template: template({}, { labels: { a: 'b' } }) }),
      ['Required spec.selector', `Invalid ${TEMPLATE}.metadata.labels`],
    ],
    'an unknown completion mode': [job({ completionMode: 'Sideways' }), ['NotSupported spec.completionMode']],
    'indexes without completions': [job({ completionMode: 'Indexed', parallelism: 2 }), ['Required spec.completions']],
    'more parallel pods than indexed jobs may have': [indexed({ parallelism: 100001 }), ['Invalid spec.parallelism']],
    'limits per index without indexes': [
      job({ backoffLimitPerIndex: 1, maxFailedIndexes: 1 }),
      ['Invalid spec.backoffLimitPerIndex', 'Invalid spec.maxFailedIndexes'],
    ],
    'failed indexes without a limit of each': [indexed({ maxFailedIndexes: 1 }), ['Required spec.backoffLimitPerIndex']],
    'more failed indexes than there are': [indexed({ backoffLimitPerIndex: 1, maxFailedIndexes: 6 }), ['Invalid spec.maxFailedIndexes']],
    'very many completions': [
      indexed({ completions: 100001, backoffLimitPerIndex: 1, parallelism: 1 }),
      ['Required spec.maxFailedIndexes'],
    ],
    'very many completions, many in parallel': [
      indexed({ completions: 100001, backoffLimitPerIndex: 1, parallelism: 10001, maxFailedIndexes: 10001 }),
      ['Invalid spec.parallelism', 'Invalid spec.maxFailedIndexes'],
    ],
    'a name with room for the index': [indexed(), [], { name: 'a'.repeat(61) }],
    'a name without room for the index': [indexed(), ['Invalid metadata.name'], { name: 'a'.repeat(62) }],
    'a manager': [job({ managedBy: 'example.com/manager' }), []],
    'a manager without a domain': [job({ managedBy: 'manager' }), ['Invalid spec.managedBy']],
    'a manager of no name': [job({ managedBy: '' }), ['Required spec.managedBy']],
    'a manager that is not a path': [job({ managedBy: 'EXAMPLE.com/a b' }), ['Invalid spec.managedBy', 'Invalid spec.managedBy']],
    'a manager of a long name': [job({ managedBy: `example.com/${'a'.repeat(60)}` }), ['TooLong spec.managedBy']],
    'replacement of pods that still end, with a failure policy': [
      failing([{ action: 'Ignore', onExitCodes: { operator: 'In', values: [1] } }], { podReplacementPolicy: 'TerminatingOrFailed' }),
      ['NotSupported spec.podReplacementPolicy'],
    ],
    'every action': [
      failing(
        [
          { action: 'FailJob', onExitCodes: { containerName: 'c', operator: 'In', values: [1, 2] } },
          { action: 'FailIndex', onExitCodes: { operator: 'NotIn', values: [0, 5] } },
          { action: 'Ignore', onPodConditions: [{ type: 'DisruptionTarget', status: 'True' }] },
          { action: 'Count', onPodConditions: [{ type: 'example.com/odd' }] },
        ],
        { completionMode: 'Indexed', completions: 2, backoffLimitPerIndex: 1 },
      ),
      [],
    ],
    'no action': [failing([{ onExitCodes: { operator: 'In', values: [1] } }]), [`Required ${RULE}.action`]],
    'an unknown action': [failing([{ action: 'Shrug', onExitCodes: { operator: 'In', values: [1] } }]), [`NotSupported ${RULE}.action`]],
    'failing of an index that has no limit': [
      failing([{ action: 'FailIndex', onExitCodes: { operator: 'In', values: [1] } }]),
      [`Invalid ${RULE}.action`],
    ],
    'a rule of nothing': [failing([{ action: 'Ignore' }]), [`Invalid ${RULE}`]],
    'a rule of two sorts': [
      failing([{ action: 'Ignore', onExitCodes: { operator: 'In', values: [1] }, onPodConditions: [{ type: 'a' }] }]),
      [`Invalid ${RULE}`],
    ],
    'a condition that is neither true nor false': [
      failing([{ action: 'Ignore', onPodConditions: [{ type: '', status: 'Odd' }] }]),
      [
        `Invalid ${RULE}.onPodConditions[0].type`,
        `Invalid ${RULE}.onPodConditions[0].type`,
        `NotSupported ${RULE}.onPodConditions[0].status`,
      ],
    ],
    'a code of success': [onExit({ values: [0] }), [`Invalid ${RULE}.onExitCodes.values[0]`]],
    'codes out of order': [
      onExit({ values: [2, 1, 2] }),
      [`Duplicate ${RULE}.onExitCodes.values[2]`, `Invalid ${RULE}.onExitCodes.values`],
    ],
    'no codes': [onExit({ values: [] }), [`Invalid ${RULE}.onExitCodes.values`]],
    'codes of an unknown container': [onExit({ containerName: 'd' }), [`Invalid ${RULE}.onExitCodes.containerName`]],
    'an unknown operator': [onExit({ operator: 'Near' }), [`NotSupported ${RULE}.onExitCodes.operator`]],
    'too many rules of failure': [
      failing(many(21, i => ({ action: 'Ignore', onExitCodes: { operator: 'In', values: [i + 1] } }))),
      ['TooMany spec.podFailurePolicy.rules'],
    ],
    'indexes and counts of success': [succeeding({ succeededIndexes: '1,3-4', succeededCount: 3 }, { succeededCount: 5 }), []],
    'success of jobs without indexes': [job({ successPolicy: { rules: [{ succeededCount: 1 }] } }), ['Invalid spec.successPolicy']],
    'no rules of success': [succeeding(), ['Required spec.successPolicy.rules']],
    'an empty success rule': [succeeding({}), [`Required ${SUCCESS}`]],
    'too many rules of success': [succeeding(...many(21, () => ({ succeededCount: 1 }))), ['TooMany spec.successPolicy.rules']],
    'more successes than completions': [succeeding({ succeededCount: 6 }), [`Invalid ${SUCCESS}.succeededCount`]],
    'more successes than indexes': [succeeding({ succeededCount: 3, succeededIndexes: '0-1' }), [`Invalid ${SUCCESS}.succeededCount`]],
  })

  const texts: Record<string, string> = {
    '0,x': 'cannot convert string to integer for index: "x"',
    '0,5': 'too large index: "5"',
    '1-2-3': 'the fragment "1-2-3" violates the requirement that an index interval can have at most two parts separated by \'-\'',
    '3-3': 'non-increasing order, previous: 3, current: 3',
    '2,1': 'non-increasing order, previous: 2, current: 1',
  }
  for (const [succeededIndexes, text] of Object.entries(texts)) {
    it(`reports the error in the indexes ${succeededIndexes}`, async () => {
      const error = await new KindCases(jobResource).create(succeeding({ succeededIndexes })).catch((e: Error) => e)
      expect((error as Error).message).to.include(
        `${SUCCESS}.succeededIndexes: Invalid value: "${succeededIndexes}": error parsing succeededIndexes: ${text}`,
      )
    })
  }

  /** The errors of changing the spec of the job `x`. */
  async function changing(
    spec: object,
    change: (spec: AnyObject['spec']) => void,
    status?: object,
    features = featuresOf(),
  ): Promise<string[]> {
    const cases = new KindCases(jobResource)
    cases.server.features = features
    const made = await cases.create(job(spec))
    if (status) await cases.update({ spec: made.spec, status }, {}, 'status')
    const next = structuredClone(made.spec)
    change(next)
    return causesOf(cases.update({ spec: next }))
  }
  const FAST = {
    nodeAffinity: {
      requiredDuringSchedulingIgnoredDuringExecution: {
        nodeSelectorTerms: [{ matchFields: [{ key: 'metadata.name', operator: 'In', values: ['n'] }] }],
      },
    },
  }
  // biome-ignore format: one a line
  const changes: Record<string, [spec: object, change: (spec: AnyObject['spec']) => void, causes: string[], status?: object]> = {
    'mutable fields': [{ parallelism: 5, completions: 5 }, s => { s.parallelism = 2; s.activeDeadlineSeconds = 3; s.suspend = true }, []],
    'completions': [{ completions: 2 }, s => { s.completions = 3 }, ['Invalid spec.completions']],
    'completions of an indexed job alone': [{ completionMode: 'Indexed', completions: 2, parallelism: 2 }, s => { s.completions = 4 }, ['Invalid spec.completions']],
    'completions of an indexed job with its parallelism': [{ completionMode: 'Indexed', completions: 2, parallelism: 2 }, s => { s.completions = s.parallelism = 4 }, []],
    'the completion mode': [{}, s => { s.completionMode = 'Indexed' }, ['Invalid spec.completionMode']],
    'the manager': [{}, s => { s.managedBy = 'example.com/a' }, ['Invalid spec.managedBy']],
    'the success policy': [{ completionMode: 'Indexed', completions: 2, successPolicy: { rules: [{ succeededCount: 1 }] } }, s => { s.successPolicy.rules[0].succeededCount = 2 }, ['Invalid spec.successPolicy']],
    'the nodes of a job that runs': [{}, s => { s.template.spec.nodeSelector = { a: 'b' } }, ['Invalid spec.template']],
    'the nodes of a suspended job': [{ suspend: true }, s => { s.template.spec.nodeSelector = { a: 'b' }; s.template.spec.affinity = FAST; s.template.metadata.labels.a = 'b' }, []],
    'the nodes of a suspended job that ran': [{ suspend: true }, s => { s.template.spec.nodeSelector = { a: 'b' } }, ['Invalid spec.template'], { startTime: '2026-01-01T00:00:00Z' }],
    'affinity to pods of a suspended job': [{ suspend: true }, s => { s.template.spec.affinity = { podAffinity: {} } }, ['Invalid spec.template']],
    'the containers of a suspended job': [{ suspend: true }, s => { s.template.spec.containers[0].image = 'registry.example/app:2' }, ['Invalid spec.template']],
  }
  for (const [what, [spec, change, causes, status]] of Object.entries(changes)) {
    it(`${causes.length === 0 ? 'allows' : 'refuses'} changing ${what}`, async () =>
      expect(await changing(spec, change, status)).to.deep.equal(causes))
  }

  const STARTED = { startTime: '2026-01-01T00:00:00Z' }
  const IDLE = { ...STARTED, conditions: [{ type: 'Suspended', status: 'True' }] }
  const moreMemory = (s: AnyObject['spec']): void => {
    s.template.spec.containers[0].resources = { requests: { memory: '2Gi' } }
  }
  // biome-ignore format: one a line
  const since36: Record<string, [spec: object, change: (spec: AnyObject['spec']) => void, causes: string[], status?: object]> = {
    'the resources of a suspended job': [{ suspend: true }, moreMemory, []],
    'the resources of a suspended job that ran': [{ suspend: true }, moreMemory, [], IDLE],
    'the resources of a suspended job whose pods still run': [{ suspend: true }, moreMemory, ['Invalid spec.template'], { ...IDLE, active: 1 }],
    'the resources of a job that is not suspended yet': [{ suspend: true }, moreMemory, ['Invalid spec.template'], STARTED],
    'the resources of a job that runs': [{}, moreMemory, ['Invalid spec.template']],
    'the image of a suspended job': [{ suspend: true }, s => { s.template.spec.containers[0].image = 'registry.example/app:2' }, ['Invalid spec.template.spec']],
    'the nodes of a suspended job that ran': [{ suspend: true }, s => { s.template.spec.nodeSelector = { a: 'b' } }, [], IDLE],
  }
  for (const [what, [spec, change, causes, status]] of Object.entries(since36)) {
    it(`${causes.length === 0 ? 'allows' : 'refuses'} changing ${what} in 1.36`, async () =>
      expect(await changing(spec, change, status, parseGates('1.36'))).to.deep.equal(causes))
  }

  it('allows changing the nodes of a suspended job in 1.37 before its pods are gone', async () => {
    const change = (s: AnyObject['spec']): void => {
      s.template.spec.nodeSelector = { a: 'b' }
    }
    const causes = (release: '1.36' | '1.37') => changing({ suspend: true }, change, STARTED, parseGates(release))
    expect(await causes('1.36')).to.deep.equal(['Invalid spec.template'])
    expect(await causes('1.37')).to.deep.equal([])
  })

  it('refuses changing the resources of a suspended job in 1.35, where the gate is off', async () =>
    expect(await changing({ suspend: true }, moreMemory, undefined, parseGates('1.35'))).to.deep.equal(['Invalid spec.template']))

  it('increments the generation only for a changed spec', async () => {
    const cases = new KindCases(jobResource)
    const { spec } = await cases.create(job())
    expect((await cases.update({ spec }, { labels: { a: 'b' } })).metadata.generation).to.equal(1)
    expect((await cases.update({ spec: { ...spec, parallelism: 2 } })).metadata.generation).to.equal(2)
  })

  it('warns about names that are not DNS labels and about very many indexes', async () => {
    const cases = new KindCases(jobResource)
    await cases.create(job(), { name: 'a.b' })
    await cases.create(indexed({ completions: 100001, parallelism: 10001 }))
    expect(cases.server.warnings.map(text => text.split(':')[0])).to.deep.equal(['metadata.name', 'spec'])
  })

  it('orphans its pods by default, with a warning', () => {
    expect(jobResource.strategy?.defaultPropagation).to.equal('orphan')
    expect(jobResource.strategy?.orphanWarning).to.include('child pods are preserved by default')
  })

  it('can be selected by status.successful', () => {
    const { selectableFields = {} } = jobResource.hub
    expect(selectableFields['status.successful']?.({ metadata: {}, status: { succeeded: 2 } } as never)).to.equal('2')
  })
})
