{{/* The release's name, with the chart's unless it is in it; room is left for what Kubernetes appends. */}}
{{- define "headwater.name" -}}
{{- if contains "headwater" .Release.Name -}}
{{- .Release.Name | trunc 52 | trimSuffix "-" -}}
{{- else -}}
{{- printf "%s-headwater" .Release.Name | trunc 52 | trimSuffix "-" -}}
{{- end -}}
{{- end -}}

{{- define "headwater.selector" -}}
app.kubernetes.io/name: headwater
app.kubernetes.io/instance: {{ .Release.Name }}
{{- end -}}

{{- define "headwater.labels" -}}
{{ include "headwater.selector" . }}
app.kubernetes.io/version: {{ .Chart.AppVersion | quote }}
app.kubernetes.io/managed-by: {{ .Release.Service }}
helm.sh/chart: {{ printf "%s-%s" .Chart.Name .Chart.Version }}
{{- end -}}

{{- define "headwater.metadata" -}}
name: {{ include "headwater.name" . }}
namespace: {{ .Release.Namespace }}
labels:
  {{- include "headwater.labels" . | nindent 2 }}
{{- end -}}

{{/* What belongs to the release and is not a node: the service must not send requests there. Takes the root and a name. */}}
{{- define "headwater.componentSelector" -}}
app.kubernetes.io/name: headwater-{{ index . 1 }}
app.kubernetes.io/instance: {{ (index . 0).Release.Name }}
{{- end -}}

{{- define "headwater.componentLabels" -}}
{{ include "headwater.componentSelector" . }}
app.kubernetes.io/version: {{ (index . 0).Chart.AppVersion | quote }}
app.kubernetes.io/managed-by: {{ (index . 0).Release.Service }}
helm.sh/chart: {{ printf "%s-%s" (index . 0).Chart.Name (index . 0).Chart.Version }}
{{- end -}}

{{- define "headwater.componentMetadata" -}}
name: {{ include "headwater.name" (index . 0) }}-{{ index . 1 }}
namespace: {{ (index . 0).Release.Namespace }}
labels:
  {{- include "headwater.componentLabels" . | nindent 2 }}
{{- end -}}
