{{- define "headwater.image" -}}
"{{ .Values.image.repository }}:{{ .Values.image.tag | default .Chart.AppVersion }}"
{{- end -}}

{{- define "headwater.podSecurity" -}}
runAsNonRoot: true
runAsUser: 1000
runAsGroup: 1000
fsGroup: 1000
fsGroupChangePolicy: OnRootMismatch
seccompProfile:
  type: RuntimeDefault
{{- end -}}

{{- define "headwater.containerSecurity" -}}
allowPrivilegeEscalation: false
readOnlyRootFilesystem: true
capabilities:
  drop: [ALL]
{{- end -}}

{{/* The secret settings: those of secretSettings, and the address of the ClickHouse server of the chart. */}}
{{- define "headwater.secretSettings" -}}
{{- $settings := deepCopy .Values.secretSettings -}}
{{- if .Values.clickhouse.enabled -}}
{{- $secret := required "clickhouse.existingSecret is missing: a secret with url and users.xml; values.yaml says what they are" .Values.clickhouse.existingSecret -}}
{{- $_ := set $settings "CLICKHOUSE_URL" (dict "existingSecret" $secret "key" "url") -}}
{{- end -}}
{{- toJson $settings -}}
{{- end -}}

{{/* The pod, the same on either ledger but for where the ledger is. */}}
{{- define "headwater.pod" -}}
{{- $secretSettings := include "headwater.secretSettings" . | fromJson -}}
metadata:
  labels:
    {{- include "headwater.labels" . | nindent 4 }}
  {{- with .Values.podAnnotations }}
  annotations:
    {{- toYaml . | nindent 4 }}
  {{- end }}
spec:
  automountServiceAccountToken: false
  enableServiceLinks: false
  {{- with .Values.image.pullSecrets }}
  imagePullSecrets:
    {{- toYaml . | nindent 4 }}
  {{- end }}
  securityContext:
    {{- include "headwater.podSecurity" . | nindent 4 }}
  # 5 s until no new request is sent here, 10 at most to answer those that are
  terminationGracePeriodSeconds: 30
  containers:
    - name: headwater
      image: {{ include "headwater.image" . }}
      imagePullPolicy: {{ .Values.image.pullPolicy }}
      securityContext:
        {{- include "headwater.containerSecurity" . | nindent 8 }}
      {{- with .Values.envFrom }}
      envFrom:
        {{- toYaml . | nindent 8 }}
      {{- end }}
      env:
        - name: BASE_URL
          value: {{ required "baseUrl is missing: the address that applications reach, such as https://hw.example.com" .Values.baseUrl | quote }}
        - name: TRUST_PROXY
          value: {{ .Values.trustProxy | quote }}
        - name: OWNER_TOKEN_FILE
          value: /run/secrets/owner/token
        {{- if .Values.databaseUrl.existingSecret }}
        - name: DATABASE_URL_FILE
          value: /run/secrets/database/url
        {{- end }}
        {{- range $name, $_ := $secretSettings }}
        - name: {{ $name }}_FILE
          value: /run/secrets/settings/{{ $name }}
        {{- end }}
        {{- range $name, $value := .Values.settings }}
        - name: {{ $name }}
          {{- /* a number of values.yaml may come as 1e+06 */}}
          value: {{ if kindIs "string" $value }}{{ $value | quote }}{{ else }}{{ $value | int64 | toString | quote }}{{ end }}
        {{- end }}
        {{- with .Values.extraEnv }}
        {{- toYaml . | nindent 8 }}
        {{- end }}
      ports:
        - name: http
          containerPort: 8790
      startupProbe:
        httpGet: { path: /healthz, port: http }
        periodSeconds: 2
        # an hour: a migration of the ledger runs before the service listens, and one that is ended starts anew
        failureThreshold: 1800
      livenessProbe:
        httpGet: { path: /healthz, port: http }
        periodSeconds: 10
        timeoutSeconds: 5
        failureThreshold: 3
      readinessProbe:
        httpGet: { path: /readyz, port: http }
        periodSeconds: 5
        timeoutSeconds: 3
        failureThreshold: 2
      lifecycle:
        preStop:
          exec:
            command: [sleep, "5"]
      resources:
        {{- toYaml .Values.resources | nindent 8 }}
      volumeMounts:
        - name: data
          mountPath: /data
        - name: tmp
          mountPath: /tmp
        - name: owner
          mountPath: /run/secrets/owner
          readOnly: true
        {{- if .Values.databaseUrl.existingSecret }}
        - name: database
          mountPath: /run/secrets/database
          readOnly: true
        {{- end }}
        {{- if $secretSettings }}
        - name: settings
          mountPath: /run/secrets/settings
          readOnly: true
        {{- end }}
        {{- with .Values.extraVolumeMounts }}
        {{- toYaml . | nindent 8 }}
        {{- end }}
    {{- if and .Values.backup.enabled (not .Values.databaseUrl.existingSecret) }}
    # In this pod, because the embedded warehouse answers only here.
    - name: backup
      image: {{ include "headwater.image" . }}
      imagePullPolicy: {{ .Values.image.pullPolicy }}
      securityContext:
        {{- include "headwater.containerSecurity" . | nindent 8 }}
      command: [sh, -c, "trap 'exit 0' TERM; while true; do sleep $INTERVAL & wait $!; /app/deploy/backup/backup.sh || echo 'The backup failed.' >&2; done"]
      env:
        - name: INTERVAL
          value: {{ .Values.backup.intervalSeconds | int64 | toString | quote }}
        - name: BACKUP_KEEP
          value: {{ .Values.backup.keep | int64 | toString | quote }}
        - name: BACKUP_DIR
          value: /backup
      volumeMounts:
        - name: data
          mountPath: /data
        - name: backup
          mountPath: /backup
        - name: tmp
          mountPath: /tmp
    {{- end }}
  volumes:
    - name: tmp
      emptyDir: { sizeLimit: 64Mi }
    - name: owner
      secret:
        secretName: {{ required "ownerToken.existingSecret is missing: the name of a secret with the owner's token; values.yaml says how to make one" .Values.ownerToken.existingSecret }}
        defaultMode: 0440
        items:
          - key: {{ .Values.ownerToken.key }}
            path: token
    {{- if .Values.databaseUrl.existingSecret }}
    - name: data
      emptyDir: { sizeLimit: 64Mi }
    - name: database
      secret:
        secretName: {{ .Values.databaseUrl.existingSecret }}
        defaultMode: 0440
        items:
          - key: {{ .Values.databaseUrl.key }}
            path: url
    {{- end }}
    {{- if $secretSettings }}
    - name: settings
      projected:
        defaultMode: 0440
        sources:
          {{- range $name, $from := $secretSettings }}
          - secret:
              name: {{ required (printf "secretSettings.%s.existingSecret is missing" $name) $from.existingSecret }}
              items:
                - key: {{ $from.key }}
                  path: {{ $name }}
          {{- end }}
    {{- end }}
    {{- if and .Values.backup.enabled (not .Values.databaseUrl.existingSecret) }}
    - name: backup
      persistentVolumeClaim:
        claimName: {{ include "headwater.name" . }}-backup
    {{- end }}
    {{- with .Values.extraVolumes }}
    {{- toYaml . | nindent 4 }}
    {{- end }}
  {{- with .Values.nodeSelector }}
  nodeSelector:
    {{- toYaml . | nindent 4 }}
  {{- end }}
  {{- with .Values.tolerations }}
  tolerations:
    {{- toYaml . | nindent 4 }}
  {{- end }}
  {{- with .Values.affinity }}
  affinity:
    {{- toYaml . | nindent 4 }}
  {{- end }}
  {{- with .Values.topologySpreadConstraints }}
  topologySpreadConstraints:
    {{- toYaml . | nindent 4 }}
  {{- end }}
{{- end -}}
