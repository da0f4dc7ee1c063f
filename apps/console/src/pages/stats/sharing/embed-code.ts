/** The code that shows the stats of a share link on another site. */

/** Gives the frame the height that its page reports. Where a policy of the site forbids the script, the frame scrolls. */
const GROW = `(function (frame) {
  addEventListener("message", function (event) {
    if (event.source === frame.contentWindow && event.data.headwaterHeightPx)
      frame.style.height = event.data.headwaterHeightPx + "px";
  });
})(document.currentScript.previousElementSibling);`;

/** @param address of the embed page; addresses have no quotes */
export const toEmbedCode = (address: string): string =>
  `<iframe src="${address.replaceAll("&", "&amp;")}" title="Stats" loading="lazy" style="width: 100%; height: 40rem; border: 0"></iframe><script>${GROW}</script>`;
