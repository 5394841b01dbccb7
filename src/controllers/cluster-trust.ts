import { X509Certificate } from 'node:crypto'
import type { ConfigMap } from '../api/core/v1.types.ts'
import { getKind, updateKind } from '../catalog/define.ts'
import { errorMessage } from '../lib/error-message.ts'
import { pause } from '../lib/pause.ts'
import { pemCertificates } from '../lib/pem-certificates.ts'
import { deepEqual } from '../meta/equal.ts'
import { isStatusError } from '../meta/status.ts'
import { CONFIG_MAPS } from '../resources/kinds.ts'
import { type ControllerEnvironment, follow } from './controller.ts'

const NAMESPACE = 'kube-system'
const NAME = 'extension-apiserver-authentication'
const EVERY_MS = 60_000
/** Certificates that expired longer ago than this are removed, in milliseconds. */
const SLACK_MS = 5 * 60_000

/**
 * CAs and headers that authenticate requests to this server. Extension servers, to which it proxies requests, must
 * trust them as well.
 */
export interface ClusterTrust {
  readonly clients: readonly X509Certificate[]
  /** Optional. Omitted if no front proxy is configured. */
  readonly requestHeader?: {
    readonly authorities: readonly X509Certificate[]
    readonly allowedNames: readonly string[]
    readonly usernameHeaders: readonly string[]
    readonly uidHeaders: readonly string[]
    readonly groupHeaders: readonly string[]
    readonly extraHeaderPrefixes: readonly string[]
  }
}

type Data = Readonly<Record<string, string>>

/**
 * Maintains the ConfigMap kube-system/extension-apiserver-authentication, which extension servers read: adds the CAs
 * and headers of this server to those of others. Runs every minute and after a deletion, in every server. Source:
 * pkg/controlplane/controller/clusterauthenticationtrust in k8s.io/kubernetes.
 */
export async function keepClusterTrust(
  env: ControllerEnvironment,
  trust: () => ClusterTrust,
  sendsUid: boolean,
  signal: AbortSignal,
): Promise<void> {
  const sync = async (): Promise<void> => {
    try {
      await write(env, data => combined(data, trust(), { sendsUid, now: env.clock.now() }))
    } catch (error) {
      if (!signal.aborted) env.logger.debug(1, 'cannot update extension-apiserver-authentication, retrying', { error: errorMessage(error) })
    }
  }
  const lost = follow(env, CONFIG_MAPS, signal, ({ type }) => (type === 'deleted' ? sync() : undefined), {
    namespace: NAMESPACE,
    name: NAME,
  })
  for (;;) {
    await sync()
    await pause(EVERY_MS, signal)
    if (signal.aborted) break
  }
  await lost
}

/** Creates or updates the ConfigMap. One that is too large is deleted and rebuilt. */
async function write(env: ControllerEnvironment, change: (data: Data) => Data): Promise<void> {
  const { access } = env
  try {
    const known = await getKind(access, CONFIG_MAPS, NAMESPACE, NAME, { resourceVersion: '0' })
    if (deepEqual(known.data ?? {}, change(known.data ?? {}))) return
    await updateKind(access, CONFIG_MAPS, { namespace: NAMESPACE, name: NAME }, object => ({
      ...object,
      data: { ...change(object.data ?? {}) },
    }))
  } catch (error) {
    if (isStatusError(error, 'RequestEntityTooLarge') || (isStatusError(error, 'Invalid') && error.message.includes('Too long')))
      await access.delete(CONFIG_MAPS, NAMESPACE, NAME)
    if (!isStatusError(error, 'NotFound')) throw error
    const object: ConfigMap = {
      kind: 'ConfigMap',
      apiVersion: 'v1',
      metadata: { namespace: NAMESPACE, name: NAME },
      data: { ...change({}) },
    }
    await access.create(CONFIG_MAPS, NAMESPACE, object)
  }
}

interface Combining {
  /** Whether the gate RemoteRequestHeaderUID is enabled. */
  readonly sendsUid: boolean
  readonly now: number
}

/**
 * Merges the CAs and headers of this server into the ConfigMap's data. Throws if a stored list or certificate is
 * malformed.
 */
export function combined(data: Data, { clients, requestHeader }: ClusterTrust, { sendsUid, now }: Combining): Data {
  const clientCa = bundle([...certificatesOf(data['client-ca-file']), ...clients], now)
  const frontProxyCa = bundle([...certificatesOf(data['requestheader-client-ca-file']), ...(requestHeader?.authorities ?? [])], now)
  const list = (key: string, more: readonly string[] = []): string[] => [...new Set([...stringsOf(data[key]), ...more])]
  const lists = {
    'requestheader-username-headers': list('requestheader-username-headers', requestHeader?.usernameHeaders),
    'requestheader-uid-headers': sendsUid ? list('requestheader-uid-headers', requestHeader?.uidHeaders) : [],
    'requestheader-group-headers': list('requestheader-group-headers', requestHeader?.groupHeaders),
    'requestheader-extra-headers-prefix': list('requestheader-extra-headers-prefix', requestHeader?.extraHeaderPrefixes),
    'requestheader-allowed-names': list('requestheader-allowed-names', requestHeader?.allowedNames),
  }
  const present = Object.entries(lists).filter(([key, values]) => key !== 'requestheader-uid-headers' || values.length > 0)
  return {
    ...(clientCa !== '' && { 'client-ca-file': clientCa }),
    ...(frontProxyCa !== '' && {
      ...Object.fromEntries(present.map(([key, values]) => [key, JSON.stringify(values)])),
      'requestheader-client-ca-file': frontProxyCa,
    }),
  }
}

function stringsOf(json: string | undefined): string[] {
  const list: unknown = json ? JSON.parse(json) : []
  if (Array.isArray(list) && list.every(each => typeof each === 'string')) return list
  throw new Error(`${NAMESPACE}/${NAME} holds something other than a list of strings: ${json}`)
}

const certificatesOf = (pem = ''): X509Certificate[] => pemCertificates(pem).map(text => new X509Certificate(text))

/** PEM bundle of distinct certificates, without expired ones. */
function bundle(certificates: readonly X509Certificate[], now: number): string {
  const valid = certificates.filter(({ validTo }) => Date.parse(validTo) > now - SLACK_MS)
  return [...new Set(valid.map(certificate => certificate.toString()))].join('')
}
