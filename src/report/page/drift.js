// Every task as a dot: when it ran, and how much later the prediction starts it. A prediction that
// takes a kernel for too long climbs while that kernel runs.
class Drift {
  constructor(measured, predicted, palette, view) {
    Object.assign(this, { measured, predicted, palette, view });
    this.late = measured.start.map((s, i) => predicted.start[i] - s);
    this.most = this.late.reduce((most, v) => Math.max(most, Math.abs(v)), 1e-3);
    this.surface = new Surface(150, (c, w, h) => this.paint(c, w, h), {
      tabindex: 0,
      "aria-label": "how much later each task is predicted to start",
    });
    view.follow(() => this.surface.refresh());
    steer(this.surface, view, gutter);
    this.element = this.surface.element;
  }
  paint(context, width, height) {
    const colours = themeColours();
    const { view, measured } = this;
    const top = axisHeight + 6,
      middle = top + (height - top - 4) / 2,
      reach = (height - top - 4) / 2 - 3;
    paintAxis(context, view, width, height, colours);
    context.fillStyle = colours.faint;
    context.fillRect(gutter, middle, width - gutter, 1);
    context.fillStyle = colours.soft;
    context.font = `10px ${colours.sans}`;
    context.textAlign = "right";
    context.textBaseline = "middle";
    context.fillText(`+${time(this.most)}`, gutter - 8, middle - reach + 4);
    context.fillText("on time", gutter - 8, middle);
    context.fillText(`\u2212${time(this.most)}`, gutter - 8, middle + reach - 4);
    const scale = (width - gutter) / view.span;
    for (let i = 0; i < measured.count; ++i) {
      const x = gutter + (measured.start[i] - view.low) * scale;
      if (x < gutter || x > width) continue;
      context.fillStyle = this.palette.of(measured.kernel[i]);
      context.fillRect(x - 1, middle - (this.late[i] / this.most) * reach - 1, 2.5, 2.5);
    }
  }
}
