import type { Pod } from '../../../api/core/v1.types.ts'
import type { ConnectCall, ConnectOptions, Destination } from '../../../catalog/connect.ts'
import { getKind } from '../../../catalog/define.ts'
import type { Subresource } from '../../../catalog/definition.ts'
import { types } from '../../../catalog/types.ts'
import { type FieldError, forbidden, invalid } from '../../../meta/field-error.ts'
import { fieldPath } from '../../../meta/field-path.ts'
import { invalidError } from '../../../meta/status.ts'
import { PODS } from '../../kinds.ts'
import { encodeQuery, kubeletOf } from '../connect/kubelet.ts'
import { containerName } from './container-name.ts'

const numberOption = (value: ConnectOptions[string] | undefined): number | undefined => (typeof value === 'number' ? value : undefined)

/** Validates PodLogOptions. `stream` needs a feature gate (PodLogsQuerySplitStreams) that is off. */
export function validateLogOptions(options: ConnectOptions): FieldError[] {
  const { sinceTime, stream } = options
  const [tailLines, limitBytes, sinceSeconds] = [
    numberOption(options.tailLines),
    numberOption(options.limitBytes),
    numberOption(options.sinceSeconds),
  ]
  const errors: FieldError[] = []
  if (tailLines !== undefined && tailLines < 0)
    errors.push(invalid(fieldPath('tailLines'), tailLines, 'must be greater than or equal to 0'))
  if (limitBytes !== undefined && limitBytes < 1) errors.push(invalid(fieldPath('limitBytes'), limitBytes, 'must be greater than 0'))
  if (sinceSeconds !== undefined && sinceTime !== undefined)
    errors.push(forbidden(fieldPath(''), 'at most one of `sinceTime` or `sinceSeconds` may be specified'))
  else if (sinceSeconds !== undefined && sinceSeconds < 1)
    errors.push(invalid(fieldPath('sinceSeconds'), sinceSeconds, 'must be greater than 0'))
  if (stream !== undefined) errors.push(forbidden(fieldPath('stream'), 'may not be specified'))
  return errors
}

/** Query parameters that are passed on to the kubelet unchanged. */
const PASSED = ['follow', 'previous', 'timestamps', 'sinceSeconds', 'sinceTime', 'tailLines', 'limitBytes']

/** Returns the kubelet's URL of a container log, or undefined while the pod has no node. */
async function locateLog({ api, name, namespace, options, kubelets }: ConnectCall): Promise<Destination | undefined> {
  const errors = validateLogOptions(options)
  if (errors.length > 0) throw invalidError({ group: '', kind: 'PodLogOptions' }, name, errors)
  const pod = await getKind(api, PODS, namespace, name)
  const container = containerName(name, pod.spec, String(options.container ?? ''))
  const { nodeName } = pod.spec
  if (!nodeName) return undefined
  const kubelet = await kubeletOf({ api, kubelets }, nodeName)
  const asked = PASSED.filter(option => options[option] !== undefined && options[option] !== false)
  return {
    ...kubelet,
    path: `/containerLogs/${namespace}/${name}/${container}`,
    query: encodeQuery(asked.map(option => [option, String(options[option])])),
    trust: options.insecureSkipTLSVerifyBackend === true ? 'unverified kubelet' : 'kubelet',
  }
}

/**
 * The log of a container.
 * https://kubernetes.io/docs/reference/kubernetes-api/workload-resources/pod-v1/#get-read-log-of-the-specified-pod
 */
export const logSubresource: Subresource<Pod> = {
  verbs: ['get'],
  connect: { how: 'log', methods: ['GET'], options: types.type('core.PodLogOptions'), locate: locateLog },
}
