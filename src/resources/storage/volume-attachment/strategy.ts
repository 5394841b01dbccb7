import type { Strategy } from '../../../catalog/definition.ts'
import type { KubeObject } from '../../../meta/object.ts'
import { keepMembers, STATUS_FIELDS } from '../../shared/strategy-parts.ts'
import { validateVolumeAttachment } from './validation.ts'

const KEPT_META = ['deletionTimestamp', 'generation', 'labels', 'annotations', 'finalizers', 'ownerReferences'] as const

/** Codes of errors came with the gate MutableCSINodeAllocatableCount; where they are kept already, they stay. */
function dropErrorCodes(next: KubeObject, old: KubeObject | undefined): void {
  for (const member of ['attachError', 'detachError']) {
    if (old?.status?.[member]?.errorCode === undefined) delete next.status?.[member]?.errorCode
  }
}

export const volumeAttachmentStrategy: Strategy = {
  allowUnconditionalUpdate: false,
  revalidatesMeta: true,
  resetFields: STATUS_FIELDS,
  prepare(next, old) {
    next.status = old ? old.status : { attached: false }
  },
  validate: validateVolumeAttachment,
}

export const volumeAttachmentStatusStrategy: Strategy = {
  allowUnconditionalUpdate: false,
  revalidatesMeta: true,
  resetFields: [['metadata'], ['spec']],
  prepare(next, old) {
    if (!old) return
    keepMembers(next, old, 'spec')
    keepMembers(next.metadata as KubeObject['spec'], old.metadata as KubeObject['spec'], ...KEPT_META)
    dropErrorCodes(next, old)
  },
  validate: validateVolumeAttachment,
}
