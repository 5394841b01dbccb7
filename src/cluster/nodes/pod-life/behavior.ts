import type { Pod } from '../../../api/core/v1.types.ts'
import { parseMilliseconds } from '../../../lib/duration.ts'
import { parseInt64 } from '../../../lib/integer.ts'
import { isWide } from '../../../lib/wide-objects.ts'
import { KUBELET_PREFIX } from '../annotations.ts'

/** Failures that a container can have by annotation. */
export const FAILURES = ['ImagePull', 'CreateContainerConfigError', 'CrashLoop', 'OOMKilled', 'NotReady'] as const
/** Value of the annotation `failure`. */
export type ContainerFailure = (typeof FAILURES)[number]

/** Probes that can fail by annotation. */
const PROBES = ['startup', 'liveness', 'readiness'] as const
/** Value in the annotation `failing-probes`. */
export type ProbeName = (typeof PROBES)[number]

/** How a container behaves. Times are in milliseconds. */
export interface ContainerBehavior {
  /** Undefined if the container does not fail. */
  readonly failure: ContainerFailure | undefined
  /** Text of the failure, and termination message. Undefined for a default text and no message. */
  readonly message: string | undefined
  /** Time from which on the container could start until it does. */
  readonly startAfter: number
  /** Time from its start until it is ready. Undefined if its probes determine it. */
  readonly readyAfter: number | undefined
  /** Time from its start until it exits. Undefined if it runs for ever. */
  readonly runFor: number | undefined
  /** Code of the exit after `runFor`. */
  readonly exitCode: number
  /** Reason of the exit. */
  readonly exitReason: string
  /** Probes that fail. */
  readonly failingProbes: readonly ProbeName[]
}

/** How a pod behaves. */
export interface PodBehavior {
  /** Message with which the pod is evicted. Undefined if it is not. */
  readonly evicted: string | undefined
  /** Time from the deletion until its containers have ended, in milliseconds. The grace period is the limit. */
  readonly stopAfter: number
  /** Returns the behaviour of a container, an init container or a sidecar. */
  of(container: string): ContainerBehavior
  /** Annotations that cannot be used, in sentences. */
  readonly faults: readonly string[]
}

const [CRASH_MS, OOM_CODE] = [1000, 137]

/** Reports whether one of the patterns, separated by commas, matches an image. A pattern may end in `*`. */
const matchesImage = (patterns: string, image: string): boolean =>
  patterns.split(',').some(each => {
    const pattern = each.trim()
    return pattern.endsWith('*') ? image.startsWith(pattern.slice(0, -1)) : pattern !== '' && pattern === image
  })

/**
 * Returns how a pod behaves, by its annotations and those of its node. An annotation of the pod precedes that of the
 * node, and one for a container (`kubelet.binnacle.dev/run-for.NAME`) that for all of the pod's own containers. Init
 * containers and sidecars follow only annotations with their names.
 */
export function podBehavior(
  { metadata, spec }: Pick<Pod, 'metadata' | 'spec'>,
  nodeAnnotations: Readonly<Record<string, string>> = {},
): PodBehavior {
  const annotations = metadata.annotations ?? {}
  if (!hasBehavior(annotations) && !hasBehavior(nodeAnnotations))
    return isMeantToEnd(metadata, spec) ? endingBehavior(spec) : PLAIN_BEHAVIOR
  const faults: string[] = []
  const own = new Set((spec.containers ?? []).map(({ name }) => name))
  const images = new Map([...(spec.containers ?? []), ...(spec.initContainers ?? [])].map(({ name, image }) => [name, image ?? '']))
  const read = new AnnotationReader({ ...nodeAnnotations, ...annotations }, faults)
  const isEnding = isMeantToEnd(metadata, spec)
  const missing = read.text('missing-images') ?? ''
  const behaviors = new Map(
    [...images].map(([name, image]) => [name, containerBehavior(read.of(name, own.has(name)), own.has(name), isEnding, missing, image)]),
  )
  return {
    evicted: read.text('evict'),
    stopAfter: read.duration('stop-after') ?? 0,
    of: container => behaviors.get(container) ?? RUNNING,
    faults,
  }
}

/** Reads the behaviour of a container. Failures that crash have a default time and code. */
function containerBehavior(read: AnnotationReader, isOwn: boolean, isEnding: boolean, missing: string, image: string): ContainerBehavior {
  const failure = matchesImage(missing, image) ? 'ImagePull' : read.oneOf('failure', FAILURES)
  const crashes = failure === 'CrashLoop' || failure === 'OOMKilled'
  const runFor = read.duration('run-for') ?? (crashes ? CRASH_MS : isOwn ? (isEnding ? 0 : undefined) : undefined)
  const exitCode = read.exitCode('exit-code') ?? (failure === 'OOMKilled' ? OOM_CODE : failure === 'CrashLoop' ? 1 : 0)
  return {
    failure,
    message: read.text('message'),
    startAfter: read.duration('start-after') ?? 0,
    readyAfter: read.duration('ready-after'),
    runFor,
    exitCode,
    exitReason: failure === 'OOMKilled' ? 'OOMKilled' : exitCode === 0 ? 'Completed' : 'Error',
    failingProbes: read.severalOf('failing-probes', PROBES) ?? [],
  }
}

/** A container that starts at once, and runs for ever. */
export const RUNNING: ContainerBehavior = {
  failure: undefined,
  message: undefined,
  startAfter: 0,
  readyAfter: undefined,
  runFor: undefined,
  exitCode: 0,
  exitReason: 'Completed',
  failingProbes: [],
}
/** A container that starts at once, and completes at once. */
const COMPLETING: ContainerBehavior = { ...RUNNING, runFor: 0 }
/** A pod whose containers run for ever. */
const PLAIN_BEHAVIOR: PodBehavior = { evicted: undefined, stopAfter: 0, of: () => RUNNING, faults: [] }

/** The containers of the pod complete. Sidecars run on. */
function endingBehavior({ containers }: Pod['spec']): PodBehavior {
  const own = new Set(containers?.map(({ name }) => name))
  return { ...PLAIN_BEHAVIOR, of: container => (own.has(container) ? COMPLETING : RUNNING) }
}

/**
 * Reports whether the containers of a pod run to completion: those of a Job, of a hook of Helm, and of another
 * controller that lets them run once, such as a TaskRun.
 */
const isMeantToEnd = ({ ownerReferences, annotations }: Pod['metadata'], { restartPolicy }: Pod['spec']): boolean =>
  (ownerReferences?.some(({ kind, controller }) => controller && (kind === 'Job' || restartPolicy === 'Never')) ?? false) ||
  annotations?.['helm.sh/hook'] !== undefined

/** Reports whether one of the annotations is for the simulated kubelet. */
function hasBehavior(annotations: Readonly<Record<string, string>>): boolean {
  const known = behaviorsOfWide.get(annotations)
  if (known !== undefined) return known
  let has = false
  for (const name in annotations) has ||= name.startsWith(KUBELET_PREFIX)
  if (isWide(annotations)) behaviorsOfWide.set(annotations, has)
  return has
}

/** Whether wide annotations have one for the kubelet: it takes milliseconds to list their names. */
const behaviorsOfWide = new WeakMap<object, boolean>()

/** Reads annotations of a container, or of the whole pod, and collects a sentence for each that cannot be used. */
class AnnotationReader {
  readonly #annotations: Readonly<Record<string, string>>
  readonly #faults: string[]
  readonly #suffix: string
  readonly #isShared: boolean

  constructor(annotations: Readonly<Record<string, string>>, faults: string[], suffix = '', isShared = true) {
    this.#annotations = annotations
    this.#faults = faults
    this.#suffix = suffix
    this.#isShared = isShared
  }

  /** @param isShared whether annotations without the name of a container apply to it */
  of(container: string, isShared: boolean): AnnotationReader {
    return new AnnotationReader(this.#annotations, this.#faults, `.${container}`, isShared)
  }

  text(name: string): string | undefined {
    return this.#find(name)?.[1]
  }

  /** Reads a Go duration, in milliseconds. It must not be negative. */
  duration(name: string): number | undefined {
    return this.#parsed(name, 'a duration such as 500ms or 1m30s', text => {
      try {
        const milliseconds = parseMilliseconds(text)
        return milliseconds >= 0 ? milliseconds : undefined
      } catch {
        return undefined
      }
    })
  }

  exitCode(name: string): number | undefined {
    return this.#parsed(name, 'an exit code between 0 and 255', text => {
      const code = Number(parseInt64(text) ?? -1)
      return code >= 0 && code <= 255 ? code : undefined
    })
  }

  oneOf<T extends string>(name: string, values: readonly T[]): T | undefined {
    return this.#parsed(name, `one of ${values.join(', ')}`, text => values.find(value => value === text))
  }

  /** Reads a list that commas separate. */
  severalOf<T extends string>(name: string, values: readonly T[]): readonly T[] | undefined {
    return this.#parsed(name, `a list of ${values.join(', ')}`, text => {
      const given = text.split(',').map(each => values.find(value => value === each.trim()))
      return given.every(each => each !== undefined) ? given : undefined
    })
  }

  /** Returns the annotation that applies, with its full name. */
  #find(name: string): readonly [name: string, value: string] | undefined {
    const names = [
      `${KUBELET_PREFIX}${name}${this.#suffix}`,
      ...(this.#suffix !== '' && this.#isShared ? [`${KUBELET_PREFIX}${name}`] : []),
    ]
    for (const each of names) {
      const value = this.#annotations[each]
      if (value !== undefined) return [each, value]
    }
    return undefined
  }

  /** Parses an annotation. One that cannot be parsed is reported once and ignored. */
  #parsed<T>(name: string, expected: string, parse: (text: string) => T | undefined): T | undefined {
    const found = this.#find(name)
    if (found === undefined) return undefined
    const [annotation, text] = found
    const value = parse(text)
    const fault = `annotation ${annotation}: ${JSON.stringify(text)} is not ${expected}`
    if (value === undefined && !this.#faults.includes(fault)) this.#faults.push(fault)
    return value
  }
}
