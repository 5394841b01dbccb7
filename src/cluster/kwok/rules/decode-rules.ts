import type { Json } from '../../../api/meta/object.ts'
import { runIfSteps, type Steps } from '../../../lib/steps.ts'
import { required } from '../../../meta/field-error.ts'
import type { FieldReader } from '../field-reader.ts'
import { decodeInSteps } from '../object-reader.ts'
import type { ContainerRule, PodRules } from './pod-rules.ts'

/** Largest port number. */
const MAX_PORT = 65_535
/** Largest user or group ID, an int32. */
const MAX_ID = 2 ** 31 - 1

/** Source of the log of a container. Texts take precedence over files; kwok has files alone. */
export interface LogRule extends ContainerRule {
  readonly text?: string
  /** Log of the container's previous run. */
  readonly previousText?: string
  /** Path of the file in the format of a container runtime. Omitted if the container has no log. */
  readonly logsFile?: string
  /** File of the container's previous run. */
  readonly previousLogsFile?: string
  /** Whether the response follows the file, as if the container ran. */
  readonly follow: boolean
}

/** Output that an attached client reads. */
export interface AttachRule extends ContainerRule {
  readonly text?: string
  /** Whether the client receives its own input. */
  readonly echo: boolean
  readonly logsFile?: string
}

/** Execution of a client's command: as a process, with a fixed output, or as an echo. */
export interface ExecRule extends ContainerRule {
  /** Omitted unless the command has a fixed result. */
  readonly output?: CommandOutput
  /** Whether the output is the input, or the words of the command if there is no input. */
  readonly echo: boolean
  /** Omitted unless the command runs as a process. */
  readonly local?: LocalProcess
}

/** Fixed result of a command. */
export interface CommandOutput {
  readonly stdout: string
  readonly stderr: string
  /** At least 0, and at most 255. */
  readonly exitCode: number
}

/** A process beside the simulator. The operator decides whether such processes may run. */
export interface LocalProcess {
  /** Directory of the process. Empty for that of the simulator. */
  readonly workDir: string
  readonly environment: readonly { readonly name: string; readonly value: string }[]
  /** Optional. User ID, if it differs from the simulator's. */
  readonly user?: number
  /** Optional. Group ID, if it differs from the simulator's. */
  readonly group?: number
}

/** Where a forwarded port leads: to an address, or to the standard streams of a command. */
export interface ForwardRule {
  /** Ports of the pod. A rule without ports applies to those that no other rule names. */
  readonly ports: readonly number[]
  /** Optional. Host or IP address, and port. */
  readonly target?: { readonly address: string; readonly port: number }
  /** Program and arguments. Takes precedence over the target. Empty if the port leads to the target. */
  readonly command: readonly string[]
  /** Text that is sent when the connection opens. */
  readonly greeting?: string
  /** Text that is sent once the client has sent something. */
  readonly text?: string
  /** Whether the client receives what it sends. */
  readonly echo: boolean
}

/**
 * Decodes an object with rules for pods, in its form for one pod or that of the cluster, in steps of one rule. Throws
 * KwokObjectError.
 * @param kinds kind for one pod, and that of the cluster.
 * @param member member of the spec with the rules.
 */
export function decodePodRules<R extends object>(
  object: Json,
  kinds: readonly [string, string],
  member: string,
  ruleOf: (reader: FieldReader) => R | Steps<R>,
): Steps<PodRules<R>> {
  return decodeInSteps(object, kinds, function* (spec, { kind, namespace, name }) {
    const isOfCluster = kind === kinds[1]
    const selector = isOfCluster ? spec.object('selector') : undefined
    const rules: R[] = []
    for (const reader of spec.objects(member)) {
      yield
      rules.push(yield* runIfSteps(ruleOf(reader)))
      reader.rejectOthers()
    }
    if (!spec.has(member)) spec.report(required(spec.path.child(member)))
    const decoded = {
      pod: isOfCluster ? undefined : { namespace, name },
      namespaces: selector?.texts('matchNamespaces') ?? [],
      names: selector?.texts('matchNames') ?? [],
      rules,
    }
    selector?.rejectOthers()
    spec.rejectOthers()
    return decoded
  })
}

/** Decodes Logs or ClusterLogs. */
export const decodeLogs = (object: Json): Steps<PodRules<LogRule>> =>
  decodePodRules(object, ['Logs', 'ClusterLogs'], 'logs', reader => ({
    containers: reader.texts('containers'),
    ...optional('text', reader.text('text')),
    ...optional('previousText', reader.text('previousText')),
    ...optional('logsFile', reader.text('logsFile')),
    ...optional('previousLogsFile', reader.text('previousLogsFile')),
    follow: reader.flag('follow'),
  }))

/** Decodes Attach or ClusterAttach. */
export const decodeAttach = (object: Json): Steps<PodRules<AttachRule>> =>
  decodePodRules(object, ['Attach', 'ClusterAttach'], 'attaches', reader => ({
    containers: reader.texts('containers'),
    ...optional('text', reader.text('text')),
    echo: reader.flag('echo'),
    ...optional('logsFile', reader.text('logsFile')),
  }))

/** Decodes Exec or ClusterExec. */
export const decodeExec = (object: Json): Steps<PodRules<ExecRule>> =>
  decodePodRules(object, ['Exec', 'ClusterExec'], 'execs', reader => {
    const local = reader.object('local')
    const output = reader.object('output')
    return {
      containers: reader.texts('containers'),
      echo: reader.flag('echo'),
      ...(output && { output: commandOutput(output) }),
      ...(local && { local: localProcess(local) }),
    }
  })

/** Decodes a fixed result. The exit code defaults to 0. */
function commandOutput(reader: FieldReader): CommandOutput {
  const output = {
    stdout: reader.text('stdout') ?? '',
    stderr: reader.text('stderr') ?? '',
    exitCode: reader.integer('exitCode', 0, 255) ?? 0,
  }
  reader.rejectOthers()
  return output
}

/** Decodes the settings of a process. */
function localProcess(reader: FieldReader): LocalProcess {
  const security = reader.object('securityContext')
  const environment = reader.objects('envs').map(one => {
    const variable = { name: one.requiredText('name'), value: one.text('value') ?? '' }
    one.rejectOthers()
    return variable
  })
  const process = {
    workDir: reader.text('workDir') ?? '',
    environment,
    ...optional('user', security?.integer('runAsUser', 0, MAX_ID)),
    ...optional('group', security?.integer('runAsGroup', 0, MAX_ID)),
  }
  security?.rejectOthers()
  reader.rejectOthers()
  return process
}

/** Decodes PortForward or ClusterPortForward. */
export const decodePortForward = (object: Json): Steps<PodRules<ForwardRule>> =>
  decodePodRules(object, ['PortForward', 'ClusterPortForward'], 'forwards', reader => {
    const target = reader.object('target')
    const address = target?.requiredText('address') ?? ''
    const port = target?.integer('port', 0, MAX_PORT)
    if (target && !target.has('port')) target.report(required(target.path.child('port')))
    target?.rejectOthers()
    return {
      ports: reader.integers('ports', 0, MAX_PORT),
      ...(target && { target: { address, port: port ?? 0 } }),
      command: reader.texts('command'),
      ...optional('greeting', reader.text('greeting')),
      ...optional('text', reader.text('text')),
      echo: reader.flag('echo'),
    }
  })

/** Returns an object with the member, or without it if the value is undefined. */
function optional<N extends string, T>(name: N, value: T | undefined): { [name in N]?: T } {
  return value === undefined ? {} : ({ [name]: value } as { [name in N]?: T })
}
