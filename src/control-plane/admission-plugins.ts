import type { AdmissionPlugin } from '../admission/chain.ts'
import type { BuiltPluginName } from '../admission/plugin-names.ts'
import { namespaceLifecycle } from '../admission/plugins/namespace-lifecycle.ts'
import { nodeRestriction } from '../admission/plugins/node-restriction.ts'
import { getKind, type KindId, listKind } from '../catalog/define.ts'
import type { Features } from '../lifecycle/gates.ts'
import type { Authorizer } from '../meta/authorizer.ts'
import type { TypedObject } from '../meta/object.ts'
import { isStatusError } from '../meta/status.ts'
import type { ReadAccess } from '../registry/registry-reader.ts'
import { certificateApproval, certificateSigning, certificateSubjectRestriction, clusterTrustBundleAttest } from '../resources/certificates/signer-admission.ts'
import { storageObjectInUseProtection } from '../resources/core/in-use-protection.ts'
import { limitRanger } from '../resources/core/limit-range/admission-plugin.ts'
import { taintNodesByCondition } from '../resources/core/node/admission-plugin.ts'
import { persistentVolumeClaimResize } from '../resources/core/persistent-volume-claim/admission-plugin.ts'
import type { TolerationSeconds } from '../resources/core/pod/admission.ts'
import { defaultTolerationSeconds, podTopologyLabels } from '../resources/core/pod/admission-plugin.ts'
import { serviceAccountAdmission } from '../resources/core/service-account/admission-plugin.ts'
import type { Namespace, Service } from '../resources/core/v1.types.ts'
import {
  INGRESS_CLASSES,
  LIMIT_RANGES,
  NAMESPACES,
  NODES,
  PRIORITY_CLASSES,
  RUNTIME_CLASSES,
  SERVICE_ACCOUNTS,
  SERVICES,
  STORAGE_CLASSES,
} from '../resources/kinds.ts'

import { defaultIngressClass } from '../resources/networking/ingress/admission-plugin.ts'
import { runtimeClassAdmission } from '../resources/node/runtime-class/admission-plugin.ts'
import { priorityAdmission } from '../resources/scheduling/priority-class/admission-plugin.ts'
import { defaultStorageClass } from '../resources/storage/storage-class/admission-plugin.ts'
import { nameSuffix } from './name-suffix.ts'

/** As the watch cache has it. */
const CACHED = { resourceVersion: '0' }

/** What admission reads of the cluster: from the watch cache first, which may be behind. */
export class AdmissionReads {
  private readonly access: ReadAccess

  constructor(access: ReadAccess) {
    this.access = access
  }

  /** From the cache, or if it is not there, from the store. Throws NotFound. */
  get<T extends TypedObject>(id: KindId<T>, name: string, namespace = ''): Promise<T> {
    return getKind(this.access, id, namespace, name, CACHED).catch(error => {
      if (!isStatusError(error, 'NotFound')) throw error
      return getKind(this.access, id, namespace, name)
    })
  }

  /** Undefined where neither has it. */
  find<T extends TypedObject>(id: KindId<T>, name: string, namespace = ''): Promise<T | undefined> {
    return this.get(id, name, namespace).catch(error => {
      if (!isStatusError(error, 'NotFound')) throw error
      return undefined
    })
  }

  /** As the cache has them. `namespace`: empty for all. */
  list<T extends TypedObject>(id: KindId<T>, namespace = ''): Promise<T[]> {
    return listKind(this.access, id, namespace, CACHED)
  }

  /** `fresh`: from the store, whatever the cache has. Throws NotFound. */
  namespace(name: string, fresh: boolean): Promise<Namespace> {
    return getKind(this.access, NAMESPACES, '', name, fresh ? undefined : CACHED)
  }

  /** As the cache has it. Throws NotFound. */
  service(namespace: string, name: string): Promise<Service> {
    return getKind(this.access, SERVICES, namespace, name, CACHED)
  }
}

export interface CompiledPluginOptions {
  readonly reads: AdmissionReads
  readonly authorizer: Authorizer
  readonly features: Features
  readonly tolerationSeconds: TolerationSeconds
  /** Whether pods are refused whose service account does not exist. */
  readonly requireServiceAccounts: boolean
}

/** The plugins that ask for neither webhooks nor policies. */
export const compiledPlugins = ({ reads, features, authorizer, tolerationSeconds, requireServiceAccounts }: CompiledPluginOptions) =>
  ({
    NamespaceLifecycle: namespaceLifecycle((name, fresh) => reads.namespace(name, fresh)),
    LimitRanger: limitRanger(namespace => reads.list(LIMIT_RANGES, namespace)),
    ServiceAccount: serviceAccountAdmission(
      requireServiceAccounts ? { getAccount: (namespace, name) => reads.find(SERVICE_ACCOUNTS, name, namespace), nameSuffix } : undefined,
    ),
    NodeRestriction: nodeRestriction,
    TaintNodesByCondition: taintNodesByCondition,
    Priority: priorityAdmission({ get: name => reads.find(PRIORITY_CLASSES, name), list: () => reads.list(PRIORITY_CLASSES) }),
    DefaultTolerationSeconds: defaultTolerationSeconds(tolerationSeconds),
    DefaultStorageClass: defaultStorageClass(() => reads.list(STORAGE_CLASSES)),
    StorageObjectInUseProtection: storageObjectInUseProtection(features),
    PersistentVolumeClaimResize: persistentVolumeClaimResize(name => reads.find(STORAGE_CLASSES, name)),
    RuntimeClass: runtimeClassAdmission(name => reads.find(RUNTIME_CLASSES, name)),
    CertificateApproval: certificateApproval(authorizer),
    CertificateSigning: certificateSigning(authorizer),
    ClusterTrustBundleAttest: clusterTrustBundleAttest(authorizer),
    CertificateSubjectRestriction: certificateSubjectRestriction,
    DefaultIngressClass: defaultIngressClass(() => reads.list(INGRESS_CLASSES)),
    PodTopologyLabels: podTopologyLabels(features, name => reads.find(NODES, name)),
  }) satisfies Partial<Readonly<Record<BuiltPluginName, AdmissionPlugin>>>
