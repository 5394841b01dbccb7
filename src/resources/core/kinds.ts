import { kindId } from '../../catalog/define.ts'
import type { Endpoints, LimitRange, Namespace, Node, PersistentVolumeClaim, Pod, Secret, Service, ServiceAccount } from './v1.types.ts'

/** Kinds of the core group that other code of the server reads. */

export const ENDPOINTS = kindId<Endpoints>('', 'endpoints')
export const LIMIT_RANGES = kindId<LimitRange>('', 'limitranges')
export const NAMESPACES = kindId<Namespace>('', 'namespaces')
export const NODES = kindId<Node>('', 'nodes')
export const CLAIMS = kindId<PersistentVolumeClaim>('', 'persistentvolumeclaims')
export const PODS = kindId<Pod>('', 'pods')
export const SECRETS = kindId<Secret>('', 'secrets')
export const SERVICES = kindId<Service>('', 'services')
export const SERVICE_ACCOUNTS = kindId<ServiceAccount>('', 'serviceaccounts')
