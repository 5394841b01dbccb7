import type {
  PodGroup as AlphaGroup,
  DisruptionMode as AlphaMode,
  PodGroupTemplate as AlphaTemplate,
  Workload as AlphaWorkload,
} from '../../api/scheduling/v1alpha2.types.ts'
import type { DisruptionMode, PodGroup, PodGroupTemplate, Workload } from '../../api/scheduling/v1beta1.types.ts'

const toMode = (mode: AlphaMode | ''): DisruptionMode => (mode === 'PodGroup' ? { all: {} } : { single: {} })
const fromMode = ({ all }: DisruptionMode): AlphaMode => (all ? 'PodGroup' : 'Pod')

const RENAMED = { PodGroupScheduled: 'PodGroupInitiallyScheduled' }
const FORMERLY = { PodGroupInitiallyScheduled: 'PodGroupScheduled' }

/** Renames the condition that the scheduler sets. */
const renamed = ({ conditions, ...status }: PodGroup['status'], names: Readonly<Record<string, string>>): PodGroup['status'] => ({
  ...status,
  ...(conditions && { conditions: conditions.map(condition => ({ ...condition, type: names[condition.type] ?? condition.type })) }),
})

/**
 * Converts a group of v1alpha2, which has a mode of disruption by name, and a reference to a template in a struct of
 * its own.
 */
export const groupToBeta = ({ spec: { podGroupTemplateRef, disruptionMode, ...spec }, status, ...object }: AlphaGroup): PodGroup => {
  const workload = podGroupTemplateRef?.workload
  return {
    ...object,
    spec: {
      ...spec,
      ...(workload && { workloadRef: { workloadName: workload.workloadName, templateName: workload.podGroupTemplateName } }),
      disruptionMode: toMode(disruptionMode ?? ''),
    },
    status: renamed(status, RENAMED),
  }
}

/** Converts to v1alpha2, which lacks the parent and the preemption policy. */
export const groupFromBeta = ({
  spec: { workloadRef, disruptionMode, parentCompositePodGroupName: _, preemptionPolicy: __, ...spec },
  status,
  ...object
}: PodGroup): AlphaGroup => ({
  ...object,
  spec: {
    ...spec,
    podGroupTemplateRef: workloadRef
      ? { workload: { workloadName: workloadRef.workloadName, podGroupTemplateName: workloadRef.templateName } }
      : null,
    ...(disruptionMode && { disruptionMode: fromMode(disruptionMode) }),
  },
  status: renamed(status, FORMERLY),
})

const templateToBeta = ({ disruptionMode, ...template }: AlphaTemplate): PodGroupTemplate => ({
  ...template,
  ...(disruptionMode !== undefined && { disruptionMode: toMode(disruptionMode) }),
})

const templateFromBeta = ({ disruptionMode, preemptionPolicy: _, ...template }: PodGroupTemplate): AlphaTemplate => ({
  ...template,
  ...(disruptionMode && { disruptionMode: fromMode(disruptionMode) }),
})

export const workloadToBeta = ({ spec: { podGroupTemplates, ...spec }, ...object }: AlphaWorkload): Workload => ({
  ...object,
  spec: { ...spec, podGroupTemplates: podGroupTemplates?.map(templateToBeta) ?? null },
})

/** Converts to v1alpha2, which lacks templates of groups of groups. */
export const workloadFromBeta = ({
  spec: { podGroupTemplates, compositePodGroupTemplates: _, ...spec },
  ...object
}: Workload): AlphaWorkload => ({
  ...object,
  spec: { ...spec, podGroupTemplates: podGroupTemplates?.map(templateFromBeta) ?? null },
})
