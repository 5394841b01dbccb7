import type { ConfigMap } from '../api/core/v1.types.ts'
import type { TypedObject } from '../api/meta/object.ts'
import { getKind, updateKind } from '../catalog/define.ts'
import type { ResourceId } from '../catalog/resource-access.ts'
import { errorMessage } from '../lib/error-message.ts'
import { isStatusError } from '../meta/status.ts'
import { CONFIG_MAPS, NAMESPACES, SERVICE_ACCOUNTS } from '../resources/kinds.ts'
import type { Controller, ControllerEnvironment } from './controller.ts'
import { follow, WorkQueue } from './controller.ts'

const ROOT_CA = 'kube-root-ca.crt'

const DESCRIPTION = 'kubernetes.io/description'
const ROOT_CA_ANNOTATION = {
  [DESCRIPTION]:
    'Contains a CA bundle that can be used to verify the kube-apiserver when using internal endpoints such as the internal service IP or kubernetes.default.svc. No other usage is guaranteed across distributions of Kubernetes clusters.',
}

/** Default objects of a namespace. */
export interface NamespaceContent {
  /** Whether to create the ServiceAccount `default`. */
  readonly serviceAccount: boolean
  /** Optional. PEM certificate of this server's CA, published in a ConfigMap. Default: no ConfigMap. */
  readonly certificateAuthority?: string
}

/**
 * Creates and restores the default objects of every namespace: the ServiceAccount `default`, and the ConfigMap with
 * this server's CA.
 */
export const namespaceContentController =
  (content: NamespaceContent): Controller =>
  async (env, signal) => {
    const queue = new WorkQueue(
      8,
      signal,
      name => fillNamespace(env, name, content),
      (name, error) =>
        env.logger.debug(2, 'cannot create the default objects of a namespace, retrying', { namespace: name, error: errorMessage(error) }),
      env.queues?.meter('namespace_content'),
    )
    // Restores objects that are changed or deleted. Added objects need no action.
    const again = (id: ResourceId, name: string) =>
      follow(
        env,
        id,
        signal,
        event => {
          if (event.object && event.type !== 'added') queue.add(event.object.metadata.namespace ?? '')
        },
        { name },
      )
    await Promise.all([
      follow(env, NAMESPACES, signal, event => {
        if (event.object && event.type !== 'deleted') queue.add(event.object.metadata.name ?? '')
      }),
      ...(content.serviceAccount ? [again(SERVICE_ACCOUNTS, 'default')] : []),
      ...(content.certificateAuthority !== undefined ? [again(CONFIG_MAPS, ROOT_CA)] : []),
    ])
  }

/** Whether a namespace gets default objects: it exists and is not being deleted. */
export const mayBeFilled = (namespace: TypedObject | undefined): boolean =>
  namespace !== undefined && namespace.metadata.deletionTimestamp === undefined

/** Creates the default objects of a namespace. Skips one that is being deleted, which would reject them. */
async function fillNamespace(
  env: ControllerEnvironment,
  namespace: string,
  { serviceAccount, certificateAuthority }: NamespaceContent,
): Promise<void> {
  if (!mayBeFilled(await orAbsent(env.access.get(NAMESPACES, '', namespace, { resourceVersion: '0' })))) return
  await Promise.all([
    serviceAccount && ensureServiceAccount(env, namespace),
    certificateAuthority !== undefined && ensureRootCa(env, namespace, certificateAuthority),
  ])
}

/** Creates the ServiceAccount `default`, which pods use unless they name another. */
async function ensureServiceAccount(env: ControllerEnvironment, namespace: string): Promise<void> {
  if (await orAbsent(env.access.get(SERVICE_ACCOUNTS, namespace, 'default', { resourceVersion: '0' }))) return
  await orTolerated(
    env.access.create(SERVICE_ACCOUNTS, namespace, { kind: 'ServiceAccount', apiVersion: 'v1', metadata: { name: 'default', namespace } }),
  )
}

/** Creates or restores the ConfigMap `kube-root-ca.crt`, with which pods verify the server. */
async function ensureRootCa(env: ControllerEnvironment, namespace: string, ca: string): Promise<void> {
  const found = await orAbsent(getKind(env.access, CONFIG_MAPS, namespace, ROOT_CA, { resourceVersion: '0' }))
  if (!found) {
    const object: ConfigMap = {
      kind: 'ConfigMap',
      apiVersion: 'v1',
      metadata: { name: ROOT_CA, namespace, annotations: ROOT_CA_ANNOTATION },
      data: { 'ca.crt': ca },
    }
    await orTolerated(env.access.create(CONFIG_MAPS, namespace, object))
  } else if (mustRestoreRootCa(found, ca)) {
    const restored = (object: ConfigMap): ConfigMap => ({
      ...object,
      metadata: { ...object.metadata, annotations: { ...object.metadata.annotations, ...ROOT_CA_ANNOTATION } },
      data: { 'ca.crt': ca },
    })
    await orTolerated(updateKind(env.access, CONFIG_MAPS, { namespace, name: ROOT_CA }, restored))
  }
}

/** Whether the ConfigMap `kube-root-ca.crt` has other data, or no description. Another description may stay. */
export const mustRestoreRootCa = ({ metadata, data }: ConfigMap, ca: string): boolean =>
  data?.['ca.crt'] !== ca || Object.keys(data).length !== 1 || !metadata.annotations?.[DESCRIPTION]

/** Resolves to undefined if the object does not exist. */
async function orAbsent<T>(read: Promise<T>): Promise<T | undefined> {
  try {
    return await read
  } catch (error) {
    if (isStatusError(error, 'NotFound')) return undefined
    throw error
  }
}

/** Ignores errors that occur if another server was faster or the namespace is being deleted. */
async function orTolerated(write: Promise<unknown>): Promise<void> {
  try {
    await write
  } catch (error) {
    if (
      !isStatusError(error, 'AlreadyExists') &&
      !isStatusError(error, 'NotFound') &&
      !isStatusError(error, 'Forbidden') &&
      !isStatusError(error, 'Conflict')
    )
      throw error
  }
}
