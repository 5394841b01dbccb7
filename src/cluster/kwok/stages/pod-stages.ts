import type { JsonObject } from '../../../api/meta/object.ts'
import {
  ADDRESSES,
  CONTAINERS_COMPLETED,
  CONTAINERS_RUNNING,
  CONTAINERS_WAIT,
  CONTAINERS_WAIT_FOR_INIT,
  falseCondition,
  INIT_CONTAINERS_COMPLETED,
  INIT_CONTAINERS_RUNNING,
  INIT_CONTAINERS_WAIT,
  READINESS_GATES,
  trueCondition,
} from './pod-templates.ts'
import {
  adjustable,
  conditionStatus,
  hasPhase,
  IS_DELETED,
  IS_NOT_DELETED,
  type QueryRequirement,
  stageObject,
  statusStep,
} from './stage-object.ts'

/** Only pods of Jobs end by themselves. */
const IS_OF_JOB: QueryRequirement = { key: '.metadata.ownerReferences[].kind', operator: 'In', values: ['Job'] }
const IS_INITIALIZED: QueryRequirement = { key: conditionStatus('Initialized'), operator: 'In', values: ['True'] }
const IS_READY: QueryRequirement = { key: conditionStatus('Ready'), operator: 'In', values: ['True'] }

/** Wraps a part that only pods with init containers have. */
const ifInit = (part: string, otherwise = ''): string => `{{ if .spec.initContainers }}
${part}{{ else }}
${otherwise}{{ end }}
`

/** Conditions of a pod whose containers run. */
const READY_CONDITIONS = trueCondition('Ready') + trueCondition('ContainersReady') + READINESS_GATES
const unready = (type: string): string => falseCondition(type, 'ContainersNotReady', 'containers with unready status:', '.spec.containers')

/** A pod on a node runs at once. */
const FAST_READY = stageObject('pod-ready', 'Pod', [IS_NOT_DELETED, hasPhase('Pending'), { ...IS_READY, operator: 'NotIn' }], {
  steps: [
    statusStep(
      `conditions:\n${trueCondition('Initialized')}${READY_CONDITIONS}${ifInit(INIT_CONTAINERS_COMPLETED)}${CONTAINERS_RUNNING}${ADDRESSES}phase: Running\nstartTime: {{ Now | Quote }}\n`,
    ),
  ],
})

/** Status of a pod whose containers have ended with code 0. */
const COMPLETED_STATUS = `conditions:
- type: Ready
  status: "False"
  reason: PodCompleted
  lastProbeTime: null
  lastTransitionTime: {{ Now | Quote }}
- type: ContainersReady
  status: "False"
  reason: PodCompleted
  lastProbeTime: null
  lastTransitionTime: {{ Now | Quote }}
${CONTAINERS_COMPLETED}phase: Succeeded
`

/** A pod of a Job succeeds at once. */
const FAST_COMPLETE = stageObject('pod-complete', 'Pod', [IS_NOT_DELETED, hasPhase('Running'), IS_OF_JOB], {
  steps: [statusStep(COMPLETED_STATUS)],
})
/** A deleted pod is removed at once. */
const FAST_DELETE = stageObject('pod-delete', 'Pod', [IS_DELETED], { steps: [{ delete: true }] })

/** Stages of pods that run, complete and end as soon as they can. */
export const FAST_POD_STAGES: readonly JsonObject[] = [FAST_READY, FAST_COMPLETE, FAST_DELETE]

/** The kubelet has seen the pod, and creates its containers. */
const CREATE = stageObject(
  'pod-create',
  'Pod',
  [
    IS_NOT_DELETED,
    { key: '.status.podIP', operator: 'DoesNotExist' },
    { ...hasPhase('Running', 'Succeeded', 'Failed'), operator: 'NotIn' },
  ],
  {
    ...adjustable('pod-create', 1000, 5000),
    steps: [
      { event: { type: 'Normal', reason: 'Created', message: 'Created container' } },
      statusStep(
        `conditions:\n${ifInit(
          falseCondition('Initialized', 'ContainersNotInitialized', 'containers with incomplete status:', '.spec.initContainers'),
          trueCondition('Initialized'),
        )}${unready('Ready')}${unready('ContainersReady')}${ifInit(INIT_CONTAINERS_WAIT + CONTAINERS_WAIT_FOR_INIT, CONTAINERS_WAIT)}${ADDRESSES}phase: Pending\nstartTime: {{ Now | Quote }}\n`,
      ),
    ],
  },
)

/** Requirements of pods whose init containers have not completed. */
const INITIALIZING: readonly QueryRequirement[] = [IS_NOT_DELETED, hasPhase('Pending'), { ...IS_INITIALIZED, operator: 'NotIn' }]

/** The init containers start. */
const INIT_RUNNING = stageObject(
  'pod-init-container-running',
  'Pod',
  [...INITIALIZING, { key: '.status.initContainerStatuses[].state.waiting.reason', operator: 'Exists' }],
  { ...adjustable('pod-init-container-running', 1000, 5000), steps: [statusStep(INIT_CONTAINERS_RUNNING)] },
)

/** The init containers end, and the containers are created. */
const INIT_COMPLETED = stageObject(
  'pod-init-container-completed',
  'Pod',
  [...INITIALIZING, { key: '.status.initContainerStatuses[].state.running.startedAt', operator: 'Exists' }],
  {
    ...adjustable('pod-init-container-completed', 1000, 5000),
    steps: [statusStep(`conditions:\n${trueCondition('Initialized')}${INIT_CONTAINERS_COMPLETED}${CONTAINERS_WAIT}`)],
  },
)

/** The containers start, and the pod becomes ready. */
const READY = stageObject(
  'pod-ready',
  'Pod',
  [
    IS_NOT_DELETED,
    hasPhase('Pending'),
    IS_INITIALIZED,
    { key: '.status.containerStatuses[].state.running.startedAt', operator: 'DoesNotExist' },
  ],
  {
    ...adjustable('pod-ready', 1000, 5000),
    steps: [
      { event: { type: 'Normal', reason: 'Started', message: 'Started container' } },
      statusStep(`conditions:\n${READY_CONDITIONS}${CONTAINERS_RUNNING}phase: Running\n`),
    ],
  },
)

/** A pod of a Job succeeds. */
const COMPLETE = stageObject('pod-complete', 'Pod', [IS_NOT_DELETED, hasPhase('Running'), IS_READY, IS_OF_JOB], {
  ...adjustable('pod-complete', 1000, 5000),
  steps: [statusStep(COMPLETED_STATUS)],
})

/** The kubelet removes a deleted pod when its grace period ends, or sooner. */
const DELETE = stageObject('pod-delete', 'Pod', [IS_DELETED, { key: '.metadata.finalizers', operator: 'DoesNotExist' }], {
  ...adjustable('pod-delete', 1000, 0),
  delay: {
    durationMilliseconds: 1000,
    durationFrom: { jq: { expression: '.metadata.annotations["pod-delete.stage.kwok.x-k8s.io/delay"]' } },
    jitterDurationFrom: { jq: { expression: '.metadata.deletionTimestamp' } },
  },
  steps: [{ event: { type: 'Normal', reason: 'Killing', message: 'Stopping container' } }, { delete: true }],
})

/** Stages of pods that report each step that a kubelet reports, some seconds apart. */
export const GENERAL_POD_STAGES: readonly JsonObject[] = [CREATE, INIT_RUNNING, INIT_COMPLETED, READY, COMPLETE, DELETE]
