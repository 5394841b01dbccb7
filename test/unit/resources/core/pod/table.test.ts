import { expect } from 'chai'
import type { Pod } from '../../../../../src/api/core/v1.types.ts'
import type { Release } from '../../../../../src/lifecycle/release.ts'
import { podTableIn } from '../../../../../src/resources/core/pod/table.ts'
import { NOW, podWith } from '../../../../support/pod.ts'

const running = { running: { startedAt: '2026-01-01T00:00:00Z' } }
const status = (name: string, state: object, more: object = {}) => ({
  name,
  image: 'i',
  imageID: '',
  ready: false,
  restartCount: 0,
  state,
  ...more,
})
const ended = (finishedAt: string) => ({ lastState: { terminated: { exitCode: 1, finishedAt } } })
const init = {
  initContainers: [
    { name: 'i', image: 'i' },
    { name: 's', image: 'i', restartPolicy: 'Always' },
  ],
}

/** Ready, Status and Restarts. */
const cases: [name: string, spec: object, podStatus: object, cells: [string, string, string], metadata?: object][] = [
  ['pending', {}, { phase: 'Pending' }, ['0/1', 'Pending', '0']],
  ['evicted', {}, { phase: 'Failed', reason: 'Evicted' }, ['0/1', 'Evicted', '0']],
  [
    'gated',
    {},
    { phase: 'Pending', conditions: [{ type: 'PodScheduled', status: 'False', reason: 'SchedulingGated' }] },
    ['0/1', 'SchedulingGated', '0'],
  ],
  [
    'running',
    {},
    { phase: 'Running', containerStatuses: [status('c', running, { ready: true, restartCount: 2 })] },
    ['1/1', 'Running', '2'],
  ],
  [
    'restarted',
    {},
    { phase: 'Running', containerStatuses: [status('c', running, { ready: true, restartCount: 2, ...ended('2026-01-01T15:55:00Z') })] },
    ['1/1', 'Running', '2 (5m ago)'],
  ],
  [
    'waiting',
    {},
    { phase: 'Running', containerStatuses: [status('c', { waiting: { reason: 'CrashLoopBackOff' } })] },
    ['0/1', 'CrashLoopBackOff', '0'],
  ],
  ['exit code', {}, { phase: 'Failed', containerStatuses: [status('c', { terminated: { exitCode: 3 } })] }, ['0/1', 'ExitCode:3', '0']],
  [
    'signal',
    {},
    { phase: 'Failed', containerStatuses: [status('c', { terminated: { exitCode: 137, signal: 9 } })] },
    ['0/1', 'Signal:9', '0'],
  ],
  [
    'init waits',
    init,
    { phase: 'Pending', initContainerStatuses: [status('i', { waiting: { reason: 'ErrImagePull' } })] },
    ['0/2', 'Init:ErrImagePull', '0'],
  ],
  [
    'init starts',
    init,
    { phase: 'Pending', initContainerStatuses: [status('i', { waiting: { reason: 'PodInitializing' } })] },
    ['0/2', 'Init:0/2', '0'],
  ],
  [
    'init failed',
    init,
    { phase: 'Pending', initContainerStatuses: [status('i', { terminated: { exitCode: 2 } }, { restartCount: 4 })] },
    ['0/2', 'Init:ExitCode:2', '4'],
  ],
  [
    'sidecar starts',
    init,
    { phase: 'Pending', initContainerStatuses: [status('i', { terminated: { exitCode: 0 } }), status('s', running)] },
    ['0/2', 'Init:1/2', '0'],
  ],
  [
    'sidecar runs; restarts of init containers no longer count',
    init,
    {
      phase: 'Running',
      initContainerStatuses: [
        status('i', { terminated: { exitCode: 0 } }, { restartCount: 7 }),
        status('s', running, { started: true, ready: true, restartCount: 1 }),
      ],
      containerStatuses: [status('c', running, { ready: true })],
    },
    ['2/2', 'Running', '1'],
  ],
  [
    'initialized',
    init,
    {
      phase: 'Running',
      conditions: [{ type: 'Initialized', status: 'True' }],
      initContainerStatuses: [status('i', {})],
      containerStatuses: [status('c', { waiting: { reason: 'X' } })],
    },
    ['0/2', 'X', '0'],
  ],
  ['deleted', {}, { phase: 'Running' }, ['0/1', 'Terminating', '0'], { deletionTimestamp: '2026-01-01T00:00:00Z' }],
  ['deleted and done', {}, { phase: 'Succeeded' }, ['0/1', 'Succeeded', '0'], { deletionTimestamp: '2026-01-01T00:00:00Z' }],
  ['lost', {}, { phase: 'Running', reason: 'NodeLost' }, ['0/1', 'Unknown', '0'], { deletionTimestamp: '2026-01-01T00:00:00Z' }],
]

const podTable = podTableIn('1.33')
/** The cells Ready, Status and Restarts before a release and since. */
const CHANGES: readonly (readonly [
  what: string,
  since: Release,
  before: Release,
  pod: Pod,
  cells: readonly [before: string[], since: string[]],
])[] = [
  [
    'that a pod waits for gates',
    '1.26',
    '1.25',
    podWith({}, {}, { phase: 'Pending', conditions: [{ type: 'PodScheduled', status: 'False', reason: 'SchedulingGated' }] }),
    [
      ['0/1', 'Pending', '0'],
      ['0/1', 'SchedulingGated', '0'],
    ],
  ],
  [
    'sidecars',
    '1.28',
    '1.27',
    podWith(
      { initContainers: [{ name: 'i', restartPolicy: 'Always' }] },
      {},
      {
        phase: 'Running',
        initContainerStatuses: [
          {
            ...status('i', { terminated: { exitCode: 0 } }),
            restartCount: 1,
            lastState: { terminated: { exitCode: 1, finishedAt: '2026-01-01T15:00:00Z' } },
          },
        ],
        containerStatuses: [{ ...status('c', { running: {} }), ready: true }],
      },
    ),
    [
      ['1/1', 'Running', '0 (60m ago)'],
      ['1/2', 'Running', '1 (60m ago)'],
    ],
  ],
  [
    'how a deleted pod has ended',
    '1.31',
    '1.30',
    podWith({}, { deletionTimestamp: '2026-01-01T00:00:00Z' }, { phase: 'Succeeded' }),
    [
      ['0/1', 'Terminating', '0'],
      ['0/1', 'Succeeded', '0'],
    ],
  ],
  [
    'that a container beside completed ones has failed',
    '1.35',
    '1.34',
    podWith(
      {},
      {},
      {
        phase: 'Failed',
        containerStatuses: [
          status('c', { terminated: { exitCode: 0, reason: 'Completed' } }),
          status('d', { terminated: { exitCode: 1, reason: 'Error' } }),
        ],
      },
    ),
    [
      ['0/1', 'Completed', '0'],
      ['0/1', 'Error', '0'],
    ],
  ],
]

describe('resources/core/pod/table', () => {
  for (const [what, since, before, pod, cells] of CHANGES)
    it(`shows ${what} since ${since}`, () =>
      expect([before, since].map(release => podTableIn(release).cells(pod, NOW).slice(1, 4))).to.deep.equal(cells))

  for (const [name, spec, podStatus, cells, metadata] of cases) {
    it(name, () => expect(podTable.cells(podWith(spec, metadata, podStatus), NOW).slice(1, 4)).to.deep.equal(cells))
  }

  const phases: [string, string | undefined][] = [
    ['Succeeded', 'The pod has completed successfully.'],
    ['Failed', 'The pod failed.'],
    ['Running', undefined],
  ]
  for (const [phase, message] of phases) {
    it(`has a Completed condition for the phase ${phase}`, () => {
      const wanted = message === undefined ? undefined : [{ type: 'Completed', status: 'True', reason: phase, message }]
      expect(podTable.conditions?.(podWith({}, {}, { phase }))).to.deep.equal(wanted)
    })
  }

  it('prints all columns', () => {
    const pod = podWith(
      { nodeName: 'n', readinessGates: [{ conditionType: 'a' }, { conditionType: 'b' }] },
      { creationTimestamp: '2026-01-01T14:00:00Z' },
      { podIP: '10.0.0.1', nominatedNodeName: 'm', conditions: [{ type: 'a', status: 'True' }] },
    )
    expect(podTable.cells(pod, NOW)).to.deep.equal(['p', '0/1', '', '0', '120m', '10.0.0.1', 'n', 'm', '1/2'])
    expect(podTable.cells(podWith({}), NOW).slice(4)).to.deep.equal(['<unknown>', '<none>', '<none>', '<none>', '<none>'])
    expect(podTable.columns).to.have.length(9)
  })
})
