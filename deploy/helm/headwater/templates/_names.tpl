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
