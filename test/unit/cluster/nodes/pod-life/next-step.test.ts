import { expect } from 'chai'
import type { ContainerStatus, Pod, PodSpec } from '../../../../../src/api/core/v1.types.ts'
import { podBehavior } from '../../../../../src/cluster/nodes/pod-life/behavior.ts'
import { startMessages } from '../../../../../src/cluster/nodes/pod-life/container-start.ts'
import { nextStep } from '../../../../../src/cluster/nodes/pod-life/next-step.ts'
import type { LifeRules, PodEvent, ProbeFailures, Pulls } from '../../../../../src/cluster/nodes/pod-life/turn.ts'
import type { Release } from '../../../../../src/lifecycle/release.ts'
import { formatTime } from '../../../../../src/meta/time.ts'

const START = Date.parse('2030-01-01T00:00:00Z')
const RULES: LifeRules = {
  sandboxCondition: 'PodReadyToStartContainers',
  hasHostIPs: true,
  reportsResources: true,
  reportsGeneration: false,
  hasDisruptionTarget: true,
  startMessages: (name, image) => startMessages('1.33', name, image),
  showsPullError: true,
  hasResizeConditions: true,
  reportsResizes: false,
  rejectionPrefix: 'Pod was rejected: ',
}

interface Life {
  pod: Pod
  /** Seconds since the start. */
  seconds: number
  readonly pulls: Pulls
  readonly probes: ProbeFailures
  readonly events: PodEvent[]
  readonly rules: LifeRules
}

function lifeOf(spec: object, metadata: object = {}, rules: Partial<LifeRules> = {}): Life {
  const made: unknown = {
    metadata: { name: 'p', namespace: 'default', uid: 'u', generation: 1, ...metadata },
    spec: { containers: [{ name: 'c', image: 'app:1', resources: {} }], restartPolicy: 'Always', ...spec },
    status: { phase: 'Pending', qosClass: 'BestEffort' },
  }
  return { pod: made as Pod, seconds: 0, pulls: new Map(), probes: new Map(), events: [], rules: { ...RULES, ...rules } }
}

/** `c:running,ready` for each container, with its restarts if there are any. */
function containerText({ name, state, ready, restartCount }: ContainerStatus): string {
  const is = state.running
    ? 'running'
    : state.terminated
      ? `${state.terminated.reason}(${state.terminated.exitCode})`
      : (state.waiting?.reason ?? '')
  return `${name}:${is}${ready ? ',ready' : ''}${restartCount > 0 ? `,${restartCount} restarts` : ''}`
}

function statusText({ status }: Pod): string {
  const { phase, initContainerStatuses = [], containerStatuses = [], ephemeralContainerStatuses = [] } = status
  return [phase, ...[...initContainerStatuses, ...containerStatuses, ...ephemeralContainerStatuses].map(containerText)].join(' ')
}

/**
 * Takes steps until there is nothing to do. Returns the statuses on the way, and how many seconds the kubelet waits
 * then: `end` if it does not.
 */
function steps(life: Life): string[] {
  const seen: string[] = []
  for (let i = 0; i < 30; i++) {
    const { pod, pulls, probes, rules } = life
    const now = START + life.seconds * 1000
    const step = nextStep({
      pod,
      admission: undefined,
      behavior: podBehavior(pod),
      now,
      rules,
      pulls,
      probes,
      hostIPs: ['10.128.0.1'],
      podIPs: () => ['10.64.0.1'],
    })
    if (step.kind === 'remove') return [...seen, 'removed']
    if (step.kind === 'wait') life.events.push(...(step.events ?? []))
    if (step.kind === 'wait') return [...seen, Number.isFinite(step.until) ? `wait ${(step.until - now) / 1000}` : 'end']
    life.pod = { ...pod, status: step.status }
    life.events.push(...step.events)
    seen.push(statusText(life.pod))
  }
  return [...seen, 'endless']
}

function pass(life: Life, seconds: number): string[] {
  life.seconds += seconds
  return steps(life)
}

const conditions = ({ pod }: Life): Record<string, string> =>
  Object.fromEntries(
    (pod.status.conditions ?? []).map(({ type, status, reason }) => [type, reason === undefined ? status : `${status} ${reason}`]),
  )
const annotated = (annotations: Record<string, string>): object => ({
  annotations: Object.fromEntries(Object.entries(annotations).map(([name, value]) => [`kubelet.binnacle.dev/${name}`, value])),
})
const deleted = (life: Life, grace: number): void => {
  const { pod, seconds } = life
  life.pod = {
    ...pod,
    metadata: { ...pod.metadata, deletionTimestamp: formatTime(START + (seconds + grace) * 1000), deletionGracePeriodSeconds: grace },
  }
}

describe('the life of a pod on a simulated node', () => {
  it('is created, running and ready in two steps', () => {
    const life = lifeOf({})
    expect(steps(life)).to.deep.equal(['Pending c:ContainerCreating', 'Running c:running,ready', 'end'])
    expect(life.pod.status).to.deep.include({
      hostIP: '10.128.0.1',
      podIP: '10.64.0.1',
      podIPs: [{ ip: '10.64.0.1' }],
      startTime: '2030-01-01T00:00:00Z',
      qosClass: 'BestEffort',
    })
    expect(conditions(life)).to.deep.equal({
      PodReadyToStartContainers: 'True',
      Initialized: 'True',
      Ready: 'True',
      ContainersReady: 'True',
      PodScheduled: 'True',
    })
    expect(life.events.map(({ reason, container }) => `${reason} ${container}`)).to.deep.equal(
      ['Pulled', 'Created', 'Started'].map(reason => `${reason} spec.containers{c}`),
    )
  })

  it('shows conditions while its containers are created, as the release has them', () => {
    const life = lifeOf({}, annotated({ 'start-after': '5s' }), { sandboxCondition: undefined })
    expect(steps(life).slice(0, 1)).to.deep.equal(['Pending c:ContainerCreating'])
    expect(conditions(life)).to.deep.equal({
      Initialized: 'True',
      Ready: 'False ContainersNotReady',
      ContainersReady: 'False ContainersNotReady',
      PodScheduled: 'True',
    })
  })

  it('runs init containers one after the other, and lets a sidecar run on', () => {
    const init = ['a', 'b'].map(name => ({ name, image: 'init:1' }))
    const life = lifeOf({ initContainers: [init[0], { name: 's', image: 'side:1', restartPolicy: 'Always' }, init[1]] })
    expect(steps(life)).to.deep.equal([
      'Pending a:PodInitializing s:PodInitializing b:PodInitializing c:PodInitializing',
      'Pending a:running s:PodInitializing b:PodInitializing c:PodInitializing',
      'Pending a:Completed(0),ready s:running,ready b:PodInitializing c:PodInitializing',
      'Pending a:Completed(0),ready s:running,ready b:running c:PodInitializing',
      'Running a:Completed(0),ready s:running,ready b:Completed(0),ready c:running,ready',
      'end',
    ])
  })

  it('fails with an init container if it is never restarted, and tries again otherwise', () => {
    const failing = (restartPolicy: string): Life =>
      lifeOf({ restartPolicy, initContainers: [{ name: 'i', image: 'init:1' }] }, annotated({ 'exit-code.i': '3' }))
    expect(steps(failing('Never')).at(-2)).to.equal('Failed i:Error(3) c:PodInitializing')
    const life = failing('OnFailure')
    expect(steps(life).slice(-3)).to.deep.equal([
      'Pending i:Error(3),1 restarts c:PodInitializing',
      'Pending i:CrashLoopBackOff,1 restarts c:PodInitializing',
      'wait 10',
    ])
  })

  it('becomes ready when its probes have succeeded, from their initial delays on', () => {
    const probes = {
      startupProbe: { initialDelaySeconds: 5 },
      readinessProbe: { initialDelaySeconds: 8, successThreshold: 2, periodSeconds: 3 },
    }
    const life = lifeOf({ containers: [{ name: 'c', image: 'app:1', ...probes }] })
    expect(steps(life).at(-1)).to.equal('wait 5')
    expect(life.pod.status.containerStatuses?.[0]?.started).to.equal(false)
    expect(pass(life, 5)).to.deep.equal(['Running c:running', 'wait 6'])
    expect(life.pod.status.containerStatuses?.[0]?.started).to.equal(true)
    expect(pass(life, 6)).to.deep.equal(['Running c:running,ready', 'end'])
  })

  it('waits for the conditions of its readiness gates', () => {
    const life = lifeOf({ readinessGates: [{ conditionType: 'example.com/gate' }] })
    steps(life)
    expect(conditions(life)).to.include({ Ready: 'False ReadinessGatesNotReady', ContainersReady: 'True' })
    const { pod } = life
    life.pod = {
      ...pod,
      status: {
        ...pod.status,
        conditions: [
          ...(pod.status.conditions ?? []),
          { type: 'example.com/gate', status: 'True', lastProbeTime: null, lastTransitionTime: null },
        ],
      },
    }
    steps(life)
    expect(conditions(life)).to.include({ Ready: 'True', 'example.com/gate': 'True' })
  })

  it('is completed if it belongs to a job, and ends its sidecars then', () => {
    const owner = { ownerReferences: [{ apiVersion: 'batch/v1', kind: 'Job', name: 'j', uid: 'j', controller: true }] }
    const life = lifeOf({ restartPolicy: 'OnFailure', initContainers: [{ name: 's', image: 'side:1', restartPolicy: 'Always' }] }, owner)
    expect(steps(life).slice(-4)).to.deep.equal([
      'Running s:running,ready c:running,ready',
      'Running s:running,ready c:Completed(0)',
      'Succeeded s:Completed(0) c:Completed(0)',
      'end',
    ])
    expect(conditions(life)).to.include({
      Initialized: 'True PodCompleted',
      Ready: 'False PodCompleted',
      PodReadyToStartContainers: 'False',
    })
  })

  for (const exitCode of [0, 7])
    it(`reports the termination message of a container that exits with ${exitCode}`, () => {
      const message = '[{"key":"digest","value":"sha256:1","type":1}]'
      const life = lifeOf({ restartPolicy: 'Never' }, annotated({ message, 'exit-code': `${exitCode}`, 'run-for': '1s' }))
      steps(life)
      pass(life, 1)
      expect(life.pod.status.containerStatuses?.[0]?.state.terminated).to.include({ exitCode, message })
    })

  it('fails if it is never restarted, and a container exits with an error', () => {
    const life = lifeOf({ restartPolicy: 'Never' }, annotated({ 'run-for': '30s', 'exit-code': '7' }))
    expect(steps(life).at(-1)).to.equal('wait 30')
    expect(pass(life, 30)).to.deep.equal(['Failed c:Error(7)', 'end'])
  })

  it('is restarted with a back-off that doubles, when it crashes again and again', () => {
    const life = lifeOf({}, annotated({ failure: 'CrashLoop' }))
    steps(life)
    expect(pass(life, 1)).to.deep.equal(['Running c:Error(1)', 'Running c:running,ready,1 restarts', 'wait 1'])
    expect(pass(life, 1)).to.deep.equal(['Running c:Error(1),1 restarts', 'Running c:CrashLoopBackOff,1 restarts', 'wait 10'])
    expect(life.pod.status.containerStatuses?.[0]?.state.waiting?.message).to.equal(
      'back-off 10s restarting failed container=c pod=p_default(u)',
    )
    expect(life.events.at(-1)?.message).to.equal('Back-off restarting failed container c in pod p_default(u)')
    expect(pass(life, 10)).to.deep.equal(['Running c:running,ready,2 restarts', 'wait 1'])
    expect(pass(life, 1).at(-1)).to.equal('wait 20')
  })

  it('is restarted after a lack of memory', () => {
    const life = lifeOf({}, annotated({ failure: 'OOMKilled', 'run-for': '2s' }))
    steps(life)
    expect(pass(life, 2)[0]).to.equal('Running c:OOMKilled(137)')
    expect(life.pod.status.containerStatuses?.[0]?.lastState.terminated?.reason).to.equal('OOMKilled')
  })

  it('waits for an image that cannot be pulled, until its image is another one', () => {
    const life = lifeOf({}, annotated({ 'missing-images': 'other:1, app:*' }))
    expect(steps(life)).to.deep.equal(['Pending c:ContainerCreating', 'Pending c:ErrImagePull', 'Pending c:ImagePullBackOff', 'wait 10'])
    expect(pass(life, 10)).to.deep.equal(['Pending c:ErrImagePull', 'Pending c:ImagePullBackOff', 'wait 20'])
    const shown = (one: Life): string | undefined => one.pod.status.containerStatuses?.[0]?.state.waiting?.message
    const error = 'failed to pull and unpack image "app:1": not found'
    expect(shown(life)).to.equal(`Back-off pulling image "app:1": ErrImagePull: ${error}`)
    const earlier = lifeOf({}, annotated({ 'missing-images': 'app:*' }), { showsPullError: false })
    steps(earlier)
    expect(shown(earlier)).to.equal('Back-off pulling image "app:1"')
    life.pod = { ...life.pod, spec: { ...life.pod.spec, containers: [{ name: 'c', image: 'good:1', resources: {} }] } }
    expect(steps(life)).to.deep.equal(['Running c:running,ready', 'end'])
  })

  it('reports in the words of its release that it starts', () => {
    const messages = (release: Release): string[] => Object.values(startMessages(release, 'c', 'app:1'))
    const pulled = 'Container image "app:1" already present on machine'
    expect(messages('1.31')).to.deep.equal([pulled, 'Created container c', 'Started container c'])
    expect(messages('1.34')).to.deep.equal([pulled, 'Created container: c', 'Started container c'])
    expect(messages('1.35')).to.deep.equal([`${pulled} and can be accessed by the pod`, 'Container created', 'Container started'])
  })

  it('waits for a configuration that cannot be read', () => {
    const life = lifeOf({}, annotated({ failure: 'CreateContainerConfigError', message: 'configmap "web" not found' }))
    expect(steps(life)).to.deep.equal(['Pending c:ContainerCreating', 'Pending c:CreateContainerConfigError', 'end'])
    expect(life.events).to.deep.equal([
      { type: 'Warning', reason: 'Failed', message: 'Error: configmap "web" not found', container: 'spec.containers{c}' },
    ])
  })

  it('starts and becomes ready late if annotations say so, each container on its own', () => {
    const containers = ['a', 'b'].map(name => ({ name, image: 'app:1' }))
    const life = lifeOf({ containers }, annotated({ 'start-after.b': '3s', 'ready-after': '4s', 'ready-after.b': '0s' }))
    expect(steps(life)).to.deep.equal([
      'Pending a:ContainerCreating b:ContainerCreating',
      'Pending a:running b:ContainerCreating',
      'wait 3',
    ])
    expect(pass(life, 3)).to.deep.equal(['Running a:running b:running,ready', 'wait 1'])
    expect(pass(life, 1)).to.deep.equal(['Running a:running,ready b:running,ready', 'end'])
  })

  it('fails when its deadline has passed', () => {
    const life = lifeOf({ activeDeadlineSeconds: 20 })
    expect(steps(life).at(-1)).to.equal('wait 20')
    expect(pass(life, 20)).to.deep.equal(['Failed c:Error(137)', 'end'])
    expect(life.pod.status).to.include({
      reason: 'DeadlineExceeded',
      message: 'Pod was active on the node longer than the specified deadline',
    })
  })

  it('is evicted by an annotation', () => {
    const life = lifeOf({}, annotated({ evict: 'The node was low on resource: memory.' }))
    expect(steps(life)).to.deep.equal(['Failed', 'end'])
    expect(life.pod.status).to.include({ reason: 'Evicted', message: 'The node was low on resource: memory.' })
    expect(conditions(life)).to.include({ DisruptionTarget: 'True TerminationByKubelet' })
  })

  it('reports that it has ended before it is removed', () => {
    const life = lifeOf({})
    steps(life)
    deleted(life, 30)
    expect(steps(life)).to.deep.equal(['Succeeded c:Completed(0)', 'removed'])
    expect(life.events.at(-1)).to.include({ reason: 'Killing', message: 'Stopping container c' })
  })

  it('uses its grace period as an annotation says, and is killed at its end', () => {
    const [quick, slow] = ['5s', '1h'].map(time => lifeOf({}, annotated({ 'stop-after': time })))
    for (const life of [quick, slow])
      if (life) {
        steps(life)
        deleted(life, 30)
      }
    expect([quick && steps(quick), quick && pass(quick, 5)]).to.deep.equal([['wait 5'], ['Succeeded c:Completed(0)', 'removed']])
    expect([slow && steps(slow), slow && pass(slow, 30)]).to.deep.equal([['wait 30'], ['Failed c:Error(137)', 'removed']])
  })

  it('is left to its finalizers when it is deleted at once', () => {
    const life = lifeOf({})
    steps(life)
    deleted(life, 0)
    life.pod = { ...life.pod, metadata: { ...life.pod.metadata, finalizers: ['example.com/hold'] } }
    expect(steps(life)).to.deep.equal(['Succeeded c:Completed(0)', 'end'])
  })

  it('is removed a second after it was deleted at once, if a server that stopped has left it', () => {
    const life = lifeOf({})
    steps(life)
    deleted(life, 0)
    expect(steps(life)).to.deep.equal(['Succeeded c:Completed(0)', 'wait 1'])
    expect(pass(life, 1)).to.deep.equal(['removed'])
  })

  it('gets new resources in place, or restarts for them', () => {
    const container = (cpu: string, resizePolicy: object[] = []): object => ({
      name: 'c',
      image: 'app:1',
      resources: { requests: { cpu } },
      resizePolicy,
    })
    const resized = (life: Life, spec: object): string[] => {
      life.pod = { ...life.pod, spec: { ...life.pod.spec, ...spec } as PodSpec }
      return steps(life)
    }
    const life = lifeOf({ containers: [container('1')] })
    steps(life)
    expect(life.pod.status.containerStatuses?.[0]).to.deep.include({
      allocatedResources: { cpu: '1' },
      resources: { requests: { cpu: '1' } },
    })
    expect(resized(life, { containers: [container('2')] })).to.deep.equal(['Running c:running,ready', 'Running c:running,ready', 'end'])
    expect(life.pod.status.containerStatuses?.[0]).to.deep.include({
      allocatedResources: { cpu: '2' },
      resources: { requests: { cpu: '2' } },
    })
    expect(conditions(life)).not.to.have.property('PodResizeInProgress')
    const policy = [{ resourceName: 'cpu', restartPolicy: 'RestartContainer' }]
    expect(resized(life, { containers: [container('3', policy)] }).slice(-2)).to.deep.equal(['Running c:running,ready,1 restarts', 'end'])
  })

  it('runs ephemeral containers beside the others', () => {
    const life = lifeOf({})
    steps(life)
    life.pod = { ...life.pod, spec: { ...life.pod.spec, ephemeralContainers: [{ name: 'debug', image: 'busybox', resources: {} }] } }
    expect(steps(life)).to.deep.equal(['Running c:running,ready debug:running', 'end'])
  })

  it('is ready again when something else has made it unready', () => {
    const life = lifeOf({})
    steps(life)
    const { pod } = life
    const unready = (pod.status.conditions ?? []).map(each => (each.type === 'Ready' ? { ...each, status: 'False' } : each))
    life.pod = { ...pod, status: { ...pod.status, conditions: unready } }
    expect(steps(life)).to.deep.equal(['Running c:running,ready', 'end'])
    expect(conditions(life).Ready).to.equal('True')
  })

  it('reports its generation in the releases that do', () => {
    const life = lifeOf({}, {}, { reportsGeneration: true })
    steps(life)
    expect(life.pod.status.observedGeneration).to.equal(1)
    expect(life.pod.status.conditions?.every(({ observedGeneration }) => observedGeneration === 1)).to.equal(true)
  })

  describe('with failing probes', () => {
    const probed = (probes: object, failing: string, policy = 'Always'): Life =>
      lifeOf(
        { containers: [{ name: 'c', image: 'app:1', resources: {}, ...probes }], restartPolicy: policy },
        annotated({ 'failing-probes': failing }),
      )
    const without = (life: Life): void => {
      life.pod = { ...life.pod, metadata: { ...life.pod.metadata, annotations: {} } }
    }
    const texts = ({ events }: Life): string[] =>
      events.splice(0).flatMap(({ reason, message }) => (['Unhealthy', 'Killing'].includes(reason) ? [`${reason}: ${message}`] : []))

    it('kills a container when its liveness probe has failed three times, and restarts it with a back-off', () => {
      const life = probed({ livenessProbe: { httpGet: { port: 80 }, initialDelaySeconds: 5 } }, 'liveness')
      expect(steps(life)).to.deep.equal(['Pending c:ContainerCreating', 'Running c:running,ready', 'wait 5'])
      expect(pass(life, 5)).to.deep.equal(['wait 10'])
      expect(texts(life)).to.deep.equal(['Unhealthy: Liveness probe failed: HTTP probe failed with statuscode: 500'])
      expect(pass(life, 10)).to.deep.equal(['wait 10'])
      expect(pass(life, 10)).to.deep.equal(['Running c:Error(137)', 'Running c:running,ready,1 restarts', 'wait 5'])
      expect(texts(life).slice(-2)).to.deep.equal([
        'Unhealthy: Liveness probe failed: HTTP probe failed with statuscode: 500',
        'Killing: Container c failed liveness probe, will be restarted',
      ])
      for (const seconds of [5, 10]) pass(life, seconds)
      expect(pass(life, 10)).to.deep.equal(['Running c:Error(137),1 restarts', 'Running c:CrashLoopBackOff,1 restarts', 'wait 10'])
    })

    it('fails a pod that is never restarted', () => {
      const life = probed({ livenessProbe: { exec: {}, periodSeconds: 1, failureThreshold: 1 } }, 'liveness', 'Never')
      expect(steps(life)).to.deep.equal(['Pending c:ContainerCreating', 'Running c:running,ready', 'Failed c:Error(137)', 'end'])
      expect(texts(life)).to.deep.equal([
        'Unhealthy: Liveness probe failed: the command failed',
        'Killing: Container c failed liveness probe',
      ])
    })

    it('counts all attempts of a time that has passed at once, and reports some', () => {
      const life = probed({ livenessProbe: { exec: {}, periodSeconds: 1, failureThreshold: 10_000_001 } }, 'liveness')
      steps(life)
      expect(texts(life)).to.have.length(1)
      expect(pass(life, 9_999_999)).to.deep.equal(['wait 1'])
      expect(texts(life)).to.have.length(25)
      expect(pass(life, 1)[0]).to.equal('Running c:Error(137)')
    })

    it('keeps a container ready until its readiness probe has failed often enough, and makes it ready again', () => {
      const life = probed({ readinessProbe: { tcpSocket: {}, periodSeconds: 2, failureThreshold: 2 } }, 'readiness')
      expect(steps(life)).to.deep.equal(['Pending c:ContainerCreating', 'Running c:running', 'wait 2'])
      expect(pass(life, 2)).to.deep.equal(['end'])
      const { annotations } = life.pod.metadata
      without(life)
      expect(steps(life)).to.deep.equal(['Running c:running,ready', 'end'])
      life.pod = { ...life.pod, metadata: { ...life.pod.metadata, ...(annotations && { annotations }) } }
      expect(steps(life)).to.deep.equal(['wait 2'])
      expect(pass(life, 2)).to.deep.equal(['Running c:running', 'end'])
      expect(conditions(life).Ready).to.equal('False ContainersNotReady')
    })

    it('kills a container that does not start, and begins its liveness probe afterwards only', () => {
      const life = probed({ startupProbe: { grpc: { port: 1 }, failureThreshold: 2 }, livenessProbe: { exec: {} } }, 'startup, liveness')
      expect(steps(life)).to.deep.equal(['Pending c:ContainerCreating', 'Running c:running', 'wait 10'])
      expect(pass(life, 10).slice(0, 2)).to.deep.equal(['Running c:Error(137)', 'Running c:running,1 restarts'])
      expect(texts(life).slice(0, 3)).to.deep.equal([
        'Unhealthy: Startup probe failed: service unhealthy (responded with "NOT_SERVING")',
        'Unhealthy: Startup probe failed: service unhealthy (responded with "NOT_SERVING")',
        'Killing: Container c failed startup probe, will be restarted',
      ])
    })

    it('has no effect on a container without the probe', () => {
      expect(steps(probed({}, 'startup,liveness,readiness'))).to.deep.equal([
        'Pending c:ContainerCreating',
        'Running c:running,ready',
        'end',
      ])
    })
  })
})
